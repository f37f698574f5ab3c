import type { Client } from "../api/client.js";
import { naming } from "../api/problems.js";
import type { DeclaredZone, Desired } from "../config/index.js";
import {
  JOBS_PERMISSION,
  JOBS_SECTION,
  jobsNamed,
  type NamedJob,
} from "../kinds/logpush-job/jobs-by-name.js";
import { firstFew } from "../model/cut.js";
import { isObject, type JsonObject } from "../model/json.js";
import { failed, ok, type Problem, problem, type Result, warning } from "../model/problem.js";
import { says } from "../model/sentence.js";
import { type PlanInput, readDesired } from "./files.js";
import { locateZones } from "./locate.js";
import { selectZones } from "./select-zones.js";

/** The named job, and the calls that verify it. */
export interface MeantJob {
  readonly zone: string;
  readonly job: string;
  readonly dataset: string;
  readonly calls: readonly AskingCall[];
  readonly warnings: readonly Problem[];
}

interface AskingCall {
  readonly method: "POST";
  readonly path: string;
  readonly body: JsonObject;
  /** The body without sensitive values. */
  readonly shown: JsonObject;
}

/** The outcome of a call. */
export interface Answered {
  readonly method: "POST";
  readonly path: string;
  readonly body: JsonObject;
  /** Null: the answer does not say. */
  readonly valid: boolean | null;
  readonly message: string;
  /** The file with the token. Null: the call is no challenge. */
  readonly filename: string | null;
}

type Verb = "challenge" | "check";

/** Finds the job in the files, and its calls. The only requests are those that find the zone. */
export async function findJob(
  verb: Verb,
  job: string,
  dataset: string | null,
  input: PlanInput,
  client: Client,
): Promise<Result<MeantJob>> {
  const { desired, problems, secrets } = await readDesired(input, "plan");
  client.addSecrets(secrets);
  if (desired === null) return failed(...problems);
  const selected = selectZones(desired, input.zones, []);
  if (!selected.ok) return selected;
  const found = selected.value.flatMap((zone) =>
    jobsNamed(zone.open().sections, job)
      .filter((each) => dataset === null || each.dataset === dataset)
      .map((each) => ({ zone, job: each })),
  );
  const [first, ...others] = found;
  if (first === undefined) return failed(notDeclared(job, selected.value, desired));
  if (others.length > 0) return failed(several(job, found));
  const [located] = await locateZones([first.zone], client);
  if (located === undefined) throw new Error("a zone that is looked for is answered for");
  if (!located.place.ok) return located.place;
  const wrong = unusable(job, first.zone, first.job, verb);
  if (wrong !== null) return failed(wrong);
  const below = `/zones/${located.place.value.id}/logpush`;
  return ok({
    zone: first.zone.name,
    job,
    dataset: first.job.dataset,
    calls: callsOf(verb, below, first.job),
    warnings: verb === "check" && first.job.lacksProof ? [withoutProof(job, first.zone, first.job)] : [],
  });
}

function withoutProof(job: string, zone: DeclaredZone, { index }: NamedJob): Problem {
  const detail = `The job ${JSON.stringify(job)} of ${zone.name} has no ownership_challenge, so only its destination was checked. The service requires a proof to create the job or to change its destination. Get a token with zoneward logpush challenge.`;
  return warning(
    "challenge_missing",
    "Ownership proof missing",
    detail,
    zone.open().locate([JOBS_SECTION, index]),
  );
}

function callsOf(verb: Verb, below: string, { destination, token }: NamedJob): readonly AskingCall[] {
  const call = (path: string, body: JsonObject): AskingCall => ({
    method: "POST",
    path: below + path,
    body,
    shown: Object.fromEntries(Object.keys(body).map((name) => [name, "(sensitive)"])),
  });
  const where = { destination_conf: destination ?? "" };
  if (verb === "challenge") return [call("/ownership", where)];
  return [
    call("/validate/destination", where),
    ...(token === null ? [] : [call("/ownership/validate", { ...where, ownership_challenge: token })]),
  ];
}

export async function askAbout({ calls }: MeantJob, client: Client): Promise<Result<readonly Answered[]>> {
  const answers: Answered[] = [];
  for (const { method, path, body, shown } of calls) {
    const sent = await client.send(method, path, body);
    if (!sent.ok) return failed(...sent.problems.map((each) => naming(each, JOBS_PERMISSION)));
    const { valid, message, filename } = isObject(sent.value) ? sent.value : {};
    answers.push({
      method,
      path,
      body: shown,
      valid: typeof valid === "boolean" ? valid : null,
      message: redactedIn(typeof message === "string" ? message : "", client),
      filename: typeof filename === "string" && filename !== "" ? redactedIn(filename, client) : null,
    });
  }
  return ok(answers);
}

function redactedIn(text: string, client: Client): string {
  const [redacted] = client.redact([problem("told", "", text)]);
  return redacted?.detail ?? "";
}

function notDeclared(job: string, zones: readonly DeclaredZone[], { zones: all }: Desired): Problem {
  const where = zones.length === all.length ? "The files declare" : `The zones of --zone declare`;
  const detail = `${where} no log-push job called ${JSON.stringify(job)}. Correct the name, or declare it first.`;
  return problem("unknown_job", "Unknown log-push job", detail);
}

function several(
  job: string,
  found: readonly { readonly zone: DeclaredZone; readonly job: NamedJob }[],
): Problem {
  const places = firstFew(found, MAX_NAMED, ({ zone, job: each }) => `${each.dataset} of ${zone.name}`);
  return problem(
    "ambiguous_job",
    "Job name is ambiguous",
    says`The files declare ${JSON.stringify(job)} ${String(found.length)} times: ${places}. Pick one with ${{ flag: "zone" }} or ${{ flag: "dataset" }}.`,
  );
}

const MAX_NAMED = 6;

function unusable(
  job: string,
  zone: DeclaredZone,
  { index, destination, token }: NamedJob,
  verb: Verb,
): Problem | null {
  const at = zone.open().locate([JOBS_SECTION, index]);
  const name = `The job ${JSON.stringify(job)} of ${zone.name}`;
  if (destination === null) {
    const detail = `${name} has no destination_conf, in the files or live. Declare it.`;
    return problem("no_destination", "Destination missing", detail, at);
  }
  // References to secrets that are set are replaced by their values already.
  const texts = [destination, ...(verb === "check" && token !== null ? [token] : [])];
  const unset = texts.flatMap((text) => [...text.matchAll(/\$\{secret:(\w+)/g)].map(([, each]) => each));
  if (unset.length === 0) return null;
  const detail = `${name} needs ${[...new Set(unset)].join(" and ")} from the environment. Set it, and run this again.`;
  return problem("secrets_not_set", "Secrets not set", detail, at);
}
