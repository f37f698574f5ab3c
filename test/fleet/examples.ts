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

/** Whose folder, label and environment it is, and what the secret is called that has its token for reading. */
interface Team {
  readonly team: string;
  readonly token: string;
}

/** A workflow, as far as the tests look at it. */
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

/** A manifest, as far as the tests look at it. */
export interface Manifest {
  readonly kind: "Job" | "CronJob" | "PersistentVolumeClaim";
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: JobSpec & { readonly jobTemplate?: { readonly spec: JobSpec } };
}

/** Null: it runs nothing. */
export function podOf({ spec }: Manifest): Pod | null {
  return (spec.jobTemplate?.spec ?? spec).template?.spec ?? null;
}
