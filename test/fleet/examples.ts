export const MATRIX = "examples/fleet/zoneward-fleet.yml";
export const KUBERNETES = "examples/fleet/kubernetes.yaml";

export interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface WorkflowJob {
  readonly environment?: string;
  readonly strategy?: { readonly matrix: { readonly include?: readonly Team[] } };
  readonly steps: readonly Step[];
}

/** A team: its folder, label and environment, and the name of the secret with its read token. */
interface Team {
  readonly team: string;
  readonly token: string;
}

/** The parts of a workflow that the tests read. */
export interface FleetWorkflow {
  readonly jobs: Readonly<Record<string, WorkflowJob>>;
}

interface Pod {
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: object;
  readonly containers: readonly { readonly args: readonly string[]; readonly securityContext?: object }[];
}

interface JobSpec {
  readonly template?: { readonly spec: Pod };
}

/** The parts of a manifest that the tests read. */
export interface Manifest {
  readonly kind: "Job" | "CronJob" | "PersistentVolumeClaim";
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: JobSpec & { readonly jobTemplate?: { readonly spec: JobSpec } };
}

/** Null: the manifest runs nothing. */
export function podOf({ spec }: Manifest): Pod | null {
  return (spec.jobTemplate?.spec ?? spec).template?.spec ?? null;
}
