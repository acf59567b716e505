import { type Fault } from '../../../core/errors/app-error.js';
import type { JsonObject } from '../../../core/json/json.js';

/** One published or exposed port of a container. */
export interface ComposePort {
  name?: string;
  target: number;
  /** A port or a range of ports of the host. */
  published?: string;
  protocol: 'tcp' | 'udp' | 'sctp';
  mode?: string;
  host_ip?: string;
  app_protocol?: string;
}

export interface ComposeMount {
  type: 'bind' | 'volume' | 'tmpfs' | 'cluster' | 'npipe' | 'image';
  source?: string;
  target: string;
  read_only?: boolean;
  volume?: { nocopy?: boolean; subpath?: string; labels?: Record<string, string> };
  tmpfs?: { size?: number | string; mode?: number | string };
  image?: { subpath?: string };
}

/** The use of a config or a secret by a service. */
export interface ComposeFileReference {
  source: string;
  target?: string;
  uid?: string;
  gid?: string;
  /** Permissions as a number: 288 is octal 440. */
  mode?: number;
}

export interface ComposeHook {
  command: string[] | null;
  user?: string;
  privileged?: boolean;
  working_dir?: string;
  environment?: Record<string, string | null>;
}

export interface ComposeDevices {
  capabilities?: string[];
  count?: number | string;
  driver?: string;
  device_ids?: string[];
}

export interface ComposeResources {
  cpus?: number | string;
  memory?: number | string;
  pids?: number | string;
  devices?: ComposeDevices[];
}

export interface ComposeDeploy {
  mode?: string;
  replicas?: number | string;
  labels?: Record<string, string>;
  update_config?: { parallelism?: number | string; order?: string };
  resources?: { limits?: ComposeResources; reservations?: ComposeResources };
  restart_policy?: { condition?: string; max_attempts?: number | string };
  placement?: { constraints?: string[]; preferences?: { spread?: string }[]; max_replicas_per_node?: number | string };
}

/** A service in the long form of the Compose specification, typed for the keys that the conversion reads; all its other keys are present too. */
export interface ComposeService {
  annotations?: Record<string, string>;
  build?: JsonObject;
  cap_add?: string[];
  cap_drop?: string[];
  command?: string[] | null;
  configs?: ComposeFileReference[];
  container_name?: string;
  cpu_period?: number | string;
  cpu_quota?: number | string;
  cpus?: number | string;
  depends_on?: Record<string, { condition: string; required: boolean }>;
  deploy?: ComposeDeploy;
  dns?: string[];
  dns_opt?: string[];
  dns_search?: string[];
  domainname?: string;
  entrypoint?: string[] | null;
  env_file?: { path: string; required: boolean; format?: string }[];
  environment?: Record<string, string | null>;
  expose?: string[];
  extends?: { service: string; file?: string };
  extra_hosts?: Record<string, string[]>;
  gpus?: ComposeDevices[];
  group_add?: (string | number)[];
  healthcheck?: {
    test?: string[];
    interval?: string;
    timeout?: string;
    retries?: number | string;
    start_period?: string;
    disable?: boolean;
  };
  hostname?: string;
  image?: string;
  ipc?: string;
  labels?: Record<string, string>;
  label_file?: string[];
  links?: string[];
  mem_limit?: number | string;
  mem_reservation?: number | string;
  network_mode?: string;
  networks?: Record<string, JsonObject | null>;
  pid?: string | null;
  platform?: string;
  ports?: ComposePort[];
  post_start?: ComposeHook[];
  pre_stop?: ComposeHook[];
  privileged?: boolean;
  profiles?: string[];
  provider?: JsonObject;
  pull_policy?: string;
  read_only?: boolean;
  restart?: string;
  scale?: number | string;
  secrets?: ComposeFileReference[];
  security_opt?: string[];
  shm_size?: number | string;
  stdin_open?: boolean;
  stop_grace_period?: string;
  sysctls?: Record<string, string>;
  tmpfs?: string[];
  tty?: boolean;
  user?: string;
  volumes?: ComposeMount[];
  volumes_from?: string[];
  working_dir?: string;
}

/** A top-level volume, network, config or secret. */
export interface ComposeResource {
  name?: string;
  file?: string;
  environment?: string;
  content?: string;
  external?: boolean;
  driver?: string;
  labels?: Record<string, string>;
}

/** The sections of a Compose file whose members are referenced by name. */
export const COMPOSE_SECTIONS = ['services', 'networks', 'volumes', 'configs', 'secrets', 'models'] as const;
export type ComposeSection = (typeof COMPOSE_SECTIONS)[number];

/** A Compose project with variables, includes and extensions resolved and every key in its long form. */
export interface ComposeProject {
  name?: string;
  services: Map<string, JsonObject>;
  networks: Map<string, JsonObject>;
  volumes: Map<string, JsonObject>;
  configs: Map<string, JsonObject>;
  secrets: Map<string, JsonObject>;
  models: Map<string, JsonObject>;
  /** `version` and the `x-` keys of the top level. */
  rest: JsonObject;
  /** Variables of `env` and `.env`. */
  variables: ReadonlyMap<string, string>;
  /** A fault at the best known location of a pointer into the resolved project. */
  fault(pointer: string, detail: string, remedy?: string): Fault;
}

/** A resolved service as typed data: its types have been checked against the specification and set by the long form. */
export function toService(definition: JsonObject): ComposeService {
  return definition;
}

/** A resolved volume, config or secret as typed data; see `toService`. */
export function toResource(definition: JsonObject): ComposeResource {
  return definition;
}
