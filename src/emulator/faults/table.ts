import type { Json } from "../../model/json.js";
import {
  apiError,
  type Delivery,
  type Enveloped,
  envelope,
  failure,
  type Message,
  whole,
} from "../answer.js";

/**
 * A fault turns a request into a delivery. It calls `handle` to handle the request normally, so the fault decides
 * whether there is an effect.
 */
export type Fault = (handle: () => Enveloped, circumstances: Circumstances) => Delivery;

interface Circumstances {
  readonly seconds: number;
  readonly now: Date;
  /** The `messages` of a failure of this request. */
  readonly failureMessages: Json;
}

/** Every fault. Names end in `before` or `after` if the fault strikes before or after the effect. */
const table = {
  "reset-before": before(reset),
  "reset-after": after(reset),
  "500-before": before(serverError),
  "500-after": after(serverError),
  "502-before": before(badGateway),
  "502-after": after(badGateway),
  "503-before": before(unavailable),
  "503-after": after(unavailable),
  "html-before": before(portal),
  "html-after": after(portal),
  "success-false-before": before(untrueOk),
  "success-false-after": after(untrueOk),
  "hang-before": before(nothing),
  "hang-after": after(nothing),
  /** Requests beyond the limit are refused without effect. */
  "429-plain": before((circumstances) => tooMany(circumstances, () => ({}))),
  "429-seconds": before((circumstances) => tooMany(circumstances, inSeconds)),
  "429-date": before((circumstances) => tooMany(circumstances, asDate)),
  redirect: before(elsewhere),
  truncated: spoiled(truncated),
  "cut-off": spoiled(cutOff),
  drip: spoiled(drip),
  "no-result": spoiled(withoutResult),
} satisfies { readonly [name: string]: Fault };

/** `before`: without effect. `after`: the request took effect. */
export type FaultName = keyof typeof table;

export const faults: { readonly [name in FaultName]: Fault } = table;

/** The names of all faults. */
export const faultNames: readonly FaultName[] = Object.keys(table) as readonly FaultName[]; // the keys of a constant

/** Faults that use `seconds`. */
export const timed: ReadonlySet<FaultName> = new Set([
  "503-before",
  "503-after",
  "429-seconds",
  "429-date",
  "drip",
] as const);

/** Replaces the answer; the request is not handled. */
function before(delivery: (circumstances: Circumstances) => Delivery): Fault {
  return (_, circumstances) => delivery(circumstances);
}

/** Replaces the answer of a handled request. */
function after(delivery: (circumstances: Circumstances) => Delivery): Fault {
  return (handle, circumstances) => {
    handle();
    return delivery(circumstances);
  };
}

/** Damages the right answer. An answer without a body gets one first. */
function spoiled(delivery: (answer: Full, circumstances: Circumstances) => Delivery): Fault {
  return (handle, circumstances) => {
    const { status, body } = handle();
    const full =
      body === null
        ? { status: 200, body: { result: null, success: true, errors: [], messages: [] } }
        : { status, body };
    return delivery(full, circumstances);
  };
}

interface Full extends Enveloped {
  readonly body: NonNullable<Enveloped["body"]>;
}

function reset(): Delivery {
  return { as: "reset" };
}

function nothing(): Delivery {
  return { as: "nothing" };
}

function serverError(circumstances: Circumstances): Delivery {
  return refusal(500, "internal server error", circumstances);
}

function badGateway(): Delivery {
  return page(502, "502 Bad Gateway");
}

function unavailable(circumstances: Circumstances): Delivery {
  return refusal(503, "service temporarily unavailable", circumstances, inSeconds(circumstances));
}

/** A proxy or captive portal answers instead of the service, with a success. */
function portal(): Delivery {
  return page(200, "Sign in to the network");
}

function page(status: number, title: string): Delivery {
  const body = `<html>\n<head><title>${title}</title></head>\n<body><center><h1>${title}</h1></center></body>\n</html>\n`;
  return { as: "whole", message: { status, headers: { "content-type": "text/html" }, body } };
}

function untrueOk(circumstances: Circumstances): Delivery {
  return refusal(200, "the request could not be completed", circumstances);
}

/** The documentation of the API's limits: 429, code 971, `retry-after` in seconds. HTTP also allows a date. */
function tooMany(
  circumstances: Circumstances,
  pause: (circumstances: Circumstances) => Message["headers"],
): Delivery {
  return refusal(429, "too many requests", circumstances, pause(circumstances), 971);
}

function inSeconds({ seconds }: Circumstances): Message["headers"] {
  return { "retry-after": String(Math.ceil(seconds)) };
}

/** Both dates are of the emulator's clock, so that their difference does not depend on the client's clock. */
function asDate({ now, seconds }: Circumstances): Message["headers"] {
  const then = new Date(now.getTime() + Math.ceil(seconds) * 1000);
  return { date: now.toUTCString(), "retry-after": then.toUTCString() };
}

function refusal(
  status: number,
  message: string,
  { failureMessages }: Circumstances,
  headers: Message["headers"] = {},
  code?: number,
): Delivery {
  const { body } = envelope(failure(status, apiError(message, code)), failureMessages);
  return { as: "whole", message: { status, headers, body } };
}

/** Redirects to the emulator itself, so that its log shows a client that follows. */
function elsewhere(): Delivery {
  return { as: "whole", message: { status: 302, headers: { location: "/elsewhere" }, body: null } };
}

/** The announced length is that of the half body. */
function truncated(answer: Full): Delivery {
  return { as: "whole", message: half(answer) };
}

function cutOff(answer: Full): Delivery {
  const announcedBytes = Buffer.byteLength(JSON.stringify(answer.body));
  return { as: "cut off", message: half(answer), announcedBytes };
}

function half({ status, body }: Full): Message {
  const text = JSON.stringify(body);
  return { status, headers: {}, body: text.slice(0, Math.ceil(text.length / 2)) };
}

function drip({ status, body }: Full, { seconds }: Circumstances): Delivery {
  return { as: "drip", message: { status, headers: {}, body }, overMs: seconds * 1000 };
}

function withoutResult({ status, body: { result: _, ...body } }: Full): Delivery {
  return whole({ status, body });
}
