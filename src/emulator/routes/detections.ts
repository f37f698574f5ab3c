import { type Answer, apiError, failure, result } from "../answer.js";
import { askedBy, found, queryErrors } from "../detection-query.js";
import {
  type Detection,
  type Detections,
  detectionInList,
  detectionInWholeList,
  detectionOut,
} from "../parts/detections.js";
import type { Zone } from "../store.js";
import { type Call, inZone, type Route, type World } from "./route.js";

/** Scripts and connections differ in their fields and not in how they are read. */
export const detections: readonly Route[] = [
  inZone(
    "GET",
    "/page_shield/scripts",
    list((zone) => zone.scripts),
  ),
  inZone(
    "GET",
    "/page_shield/scripts/{script_id}",
    read((zone) => zone.scripts, "script_id"),
  ),
  inZone(
    "GET",
    "/page_shield/connections",
    list((zone) => zone.connections),
  ),
  inZone(
    "GET",
    "/page_shield/connections/{connection_id}",
    read((zone) => zone.connections, "connection_id"),
  ),
];

function list(of: (zone: Zone) => Detections) {
  return (zone: Zone, call: Call, { habits }: World): Answer => {
    const asked = askedBy(call.query, habits);
    const errors = queryErrors(asked, habits);
    if (errors.length > 0) return failure(400, ...errors.map((each) => apiError(each)));
    const all = [...of(zone).values()];
    const fitting = found(all, asked, habits);
    const totalCount = habits.detectionsTotal(fitting.length, all.length);
    if (asked("page") === "all") return whole(fitting, totalCount);
    return onePage(fitting, Number(asked("page")), Number(asked("per_page")), totalCount);
  };
}

function whole(fitting: readonly Detection[], totalCount: number): Answer {
  const count = fitting.length;
  const info = { page: 1, per_page: count, count, total_count: totalCount, total_pages: 1 };
  return result(fitting.map(detectionInWholeList), info);
}

function onePage(fitting: readonly Detection[], page: number, perPage: number, totalCount: number): Answer {
  const shown = fitting.slice((page - 1) * perPage, page * perPage);
  return result(shown.map(detectionInList), {
    page,
    per_page: perPage,
    count: shown.length,
    total_count: totalCount,
    total_pages: Math.ceil(fitting.length / perPage),
  });
}

function read(of: (zone: Zone) => Detections, parameter: string) {
  return (zone: Zone, call: Call): Answer => {
    const detection = of(zone).get(call.parameters.get(parameter) ?? "");
    return detection === undefined
      ? failure(404, apiError(`${parameter.replace("_id", "")} not found`))
      : result(detectionOut(detection));
  };
}
