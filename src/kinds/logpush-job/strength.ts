import { asText } from "../../model/json.js";
import { isSecret, isSensitive, type Sealed, type SealedObject } from "../../model/sealed.js";
import type { Dimensions, Members, Place, Strength } from "../../model/strength.js";
import { filterMeaning } from "./extra.js";

/** What is logged, and where it goes. */
export function strengthOf(normal: SealedObject): Dimensions {
  return {
    ...loggingOf(normal),
    destination: {
      as: "places",
      sends: "records",
      of: destinations(normal.destination_conf ?? null),
      ...(normal.enabled === false ? { isOff: true } : {}),
    },
  };
}

/**
 * What is logged of a dataset: the more the better. A job that is switched off logs nothing; of one that does not say
 * whether it is on, nobody knows what it logs.
 */
function loggingOf(normal: SealedObject): Dimensions {
  const dataset = asText(normal.dataset);
  if (normal.enabled === false) return { [`${dataset}.logged`]: { ...logged([]), ...JOB } };
  if (normal.enabled !== true)
    return {
      [`${dataset}.logged`]: {
        as: "unknown",
        is: JSON.stringify(normal),
        why: "whether the job is switched on is not known",
      },
    };
  const fields = Array.isArray(normal.fields) ? normal.fields.map(asText) : [];
  const filter = normal["extra.filter"];
  return {
    [`${dataset}.logged`]: {
      ...logged(fields.length === 0 ? [USUAL] : fields),
      ...JOB,
      from: dataset,
      vague: [USUAL],
    },
    [`${dataset}.logged_share`]: shareOf(rateOf(normal)),
    ...(filter === undefined ? {} : { [`${dataset}.logged_requests`]: requestsOf(filter) }),
  };
}

/** Destinations have credentials in them, so only the declared one can be told from others. */
function destinations(conf: Sealed): readonly Place[] {
  if (conf === null) return [];
  if (isSecret(conf)) return [DECLARED_PLACE];
  if (isSensitive(conf)) return PLACES_OF_LIVE[conf.$sensitive];
  return [{ id: asText(conf), is: "a destination" }];
}

const DECLARED_PLACE: Place = { id: "", is: "the declared destination" };
const PLACES_OF_LIVE = {
  same: [DECLARED_PLACE],
  different: [{ id: "another", is: "the live destination" }],
  absent: [],
} as const;

const JOB = { switched: { on: "the job is switched on", off: "the job is switched off" } };

/** What the service logs where no fields are named. */
const USUAL = "the usual fields";

function logged(of: readonly string[]): Members {
  return { as: "set", stronger: "more", of, said: { come: "logged", go: "no longer logged" } };
}

/** The job's own rate is an option that not every user declares as one: it may also stand beside the options. */
function rateOf({ sample_rate: option = 1, "extra.sample_rate": extra = 1 }: SealedObject): Sealed {
  if (typeof option !== "number" || extra === null) return option;
  return typeof extra === "number" ? Math.min(option, extra) : extra;
}

/** A rate may also be what this program does not know. */
function shareOf(rate: Sealed): Strength {
  if (typeof rate !== "number") return { as: "opaque", is: `a sample rate of ${JSON.stringify(rate)}` };
  return {
    as: "rank",
    value: rate,
    is: `${Number((rate * 100).toFixed(6))} % of requests logged`,
    isDetail: true,
  };
}

/** Of two filters nobody knows which lets more through. */
function requestsOf(filter: Sealed): Members {
  const which = wordsFor(filter);
  return { ...logged([which]), whole: EVERY, vague: [which], isDetail: true };
}

const EVERY = "every request";

function wordsFor(filter: Sealed): string {
  if (isSecret(filter)) return DECLARED;
  if (isSensitive(filter)) return ofLive[filter.$sensitive];
  return filter === "" ? EVERY : `requests of the filter ${asText(filterMeaning.canonical(filter))}`;
}

const DECLARED = "requests of the declared filter";
const ofLive = { same: DECLARED, different: "requests of another filter", absent: EVERY } as const;
