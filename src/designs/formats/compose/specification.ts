import { parseBytes, parseSeconds } from './quantities.js';
import {
  anything,
  choice,
  either,
  flag,
  list,
  map,
  nothing,
  number,
  record,
  type Shape,
  text,
  textLike,
} from './shape.js';

/** The allowed names of services, networks, volumes, configs, secrets and models. */
const names = /^[a-zA-Z0-9._-]+$/;

const numeric = either(number, text);
const duration = textLike((value) => parseSeconds(value) !== undefined, 'a duration such as 1m30s');
const size = either(
  number,
  textLike((value) => value === '-1' || parseBytes(value) !== undefined, 'a size such as 512m'),
);
const texts = list(text);
const textOrTexts = either(text, texts);
const scalar = either(text, number, flag, nothing);
const pairs = either(map(scalar), texts);
const command = either(nothing, text, texts);
const options = map(scalar);
const hosts = either(map(textOrTexts), texts);
const external = either(flag, record({ name: text }));
const ulimits = map(either(numeric, record({ soft: numeric, hard: numeric }, 'soft', 'hard')));
const hook = record(
  { command, user: text, privileged: flag, working_dir: text, environment: pairs, per_replica: flag, image: text },
  'command',
);
const device = record({ capabilities: texts, count: numeric, device_ids: texts, driver: text, options: pairs });
const blkioLimits = list(record({ path: text, rate: size }));
const storeUses = list(either(text, record({ source: text, target: text, uid: text, gid: text, mode: numeric })));

const build = record({
  context: text,
  dockerfile: text,
  dockerfile_inline: text,
  entitlements: texts,
  args: pairs,
  ssh: either(text, pairs),
  labels: pairs,
  cache_from: texts,
  cache_to: texts,
  no_cache: flag,
  no_cache_filter: textOrTexts,
  additional_contexts: pairs,
  network: text,
  provenance: either(flag, text),
  sbom: either(flag, text),
  pull: flag,
  target: text,
  shm_size: size,
  extra_hosts: hosts,
  isolation: text,
  privileged: flag,
  secrets: storeUses,
  tags: texts,
  ulimits,
  platforms: texts,
});

const healthcheck = record({
  disable: flag,
  interval: duration,
  retries: numeric,
  test: textOrTexts,
  timeout: duration,
  start_period: duration,
  start_interval: duration,
});

const updateConfig = record({
  parallelism: numeric,
  delay: duration,
  failure_action: text,
  monitor: duration,
  max_failure_ratio: numeric,
  order: choice('start-first', 'stop-first'),
});

const deploy = record({
  mode: choice('replicated', 'global', 'replicated-job', 'global-job'),
  endpoint_mode: text,
  replicas: numeric,
  labels: pairs,
  rollback_config: updateConfig,
  update_config: updateConfig,
  resources: record({
    limits: record({ cpus: numeric, memory: size, pids: numeric, devices: list(device) }),
    reservations: record({
      cpus: numeric,
      memory: size,
      generic_resources: list(record({ discrete_resource_spec: record({ kind: text, value: numeric }) })),
      devices: list(device),
    }),
  }),
  restart_policy: record({
    condition: choice('none', 'on-failure', 'any', 'no', 'always', 'unless-stopped'),
    delay: duration,
    max_attempts: numeric,
    window: duration,
  }),
  placement: record({
    constraints: texts,
    preferences: list(record({ spread: text })),
    max_replicas_per_node: numeric,
  }),
});

const watch = record(
  {
    path: text,
    action: choice('rebuild', 'sync', 'restart', 'sync+restart', 'sync+exec'),
    ignore: textOrTexts,
    include: textOrTexts,
    target: text,
    exec: hook,
    initial_sync: flag,
  },
  'path',
  'action',
);

const port = record(
  {
    name: text,
    mode: text,
    host_ip: text,
    target: numeric,
    published: numeric,
    protocol: text,
    app_protocol: text,
  },
  'target',
);

const mount = record(
  {
    type: choice('bind', 'volume', 'tmpfs', 'cluster', 'npipe', 'image'),
    source: text,
    target: text,
    read_only: flag,
    consistency: text,
    bind: record({
      propagation: text,
      create_host_path: flag,
      recursive: choice('enabled', 'disabled', 'writable', 'readonly'),
      selinux: choice('z', 'Z'),
    }),
    volume: record({ labels: pairs, nocopy: flag, subpath: text }),
    tmpfs: record({ size, mode: numeric }),
    image: record({ subpath: text }),
  },
  'type',
);

const attachment = record({
  aliases: texts,
  interface_name: text,
  ipv4_address: text,
  ipv6_address: text,
  link_local_ips: texts,
  mac_address: text,
  driver_opts: options,
  priority: numeric,
  gw_priority: numeric,
});

const service: Shape = record({
  annotations: pairs,
  attach: flag,
  blkio_config: record({
    device_read_bps: blkioLimits,
    device_read_iops: blkioLimits,
    device_write_bps: blkioLimits,
    device_write_iops: blkioLimits,
    weight: numeric,
    weight_device: list(record({ path: text, weight: numeric })),
  }),
  build: either(text, build),
  cap_add: texts,
  cap_drop: texts,
  cgroup: choice('host', 'private'),
  cgroup_parent: text,
  command,
  configs: storeUses,
  container_name: text,
  cpu_count: numeric,
  cpu_percent: numeric,
  cpu_period: numeric,
  cpu_quota: numeric,
  cpu_rt_period: numeric,
  cpu_rt_runtime: numeric,
  cpu_shares: numeric,
  cpus: numeric,
  cpuset: text,
  credential_spec: record({ config: text, file: text, registry: text }),
  depends_on: either(
    texts,
    map(
      record({
        restart: flag,
        required: flag,
        condition: choice('service_started', 'service_healthy', 'service_completed_successfully'),
      }),
      names,
    ),
  ),
  deploy: either(deploy, nothing),
  develop: either(record({ watch: list(watch) }), nothing),
  device_cgroup_rules: texts,
  devices: list(either(text, record({ source: text, target: text, permissions: text }, 'source'))),
  dns: textOrTexts,
  dns_opt: texts,
  dns_search: textOrTexts,
  domainname: text,
  entrypoint: command,
  env_file: either(text, list(either(text, record({ path: text, format: text, required: flag }, 'path')))),
  environment: pairs,
  expose: list(numeric),
  extends: either(text, record({ service: text, file: text }, 'service')),
  external_links: texts,
  extra_hosts: hosts,
  gpus: either(choice('all'), list(device)),
  group_add: list(numeric),
  healthcheck,
  hostname: text,
  image: text,
  init: flag,
  ipc: text,
  isolation: text,
  label_file: textOrTexts,
  labels: pairs,
  links: texts,
  logging: record({ driver: text, options }),
  mac_address: text,
  mem_limit: size,
  mem_reservation: size,
  mem_swappiness: numeric,
  memswap_limit: size,
  models: either(texts, map(either(record({ endpoint_var: text, model_var: text }), nothing), names)),
  network_mode: text,
  networks: either(texts, map(either(attachment, nothing), names)),
  oom_kill_disable: flag,
  oom_score_adj: numeric,
  pid: either(text, nothing),
  pids_limit: numeric,
  platform: text,
  ports: list(either(number, text, port)),
  post_start: list(hook),
  pre_start: list(hook),
  pre_stop: list(hook),
  privileged: flag,
  profiles: texts,
  provider: record({ type: text, options: map(either(scalar, list(scalar))) }, 'type'),
  pull_policy: textLike(
    (value) => /^(always|never|build|if_not_present|missing|refresh|daily|weekly|every_([0-9]+[wdhms])+)$/.test(value),
    'one of always, never, missing, build, daily, weekly, every_<duration>',
  ),
  pull_refresh_after: text,
  read_only: flag,
  restart: textLike(
    (value) => /^(no|always|unless-stopped|on-failure(:\d+)?|)$/.test(value),
    'one of no, always, unless-stopped, on-failure, on-failure:<times>',
  ),
  runtime: text,
  scale: numeric,
  secrets: storeUses,
  security_opt: texts,
  shm_size: size,
  stdin_open: flag,
  stop_grace_period: duration,
  stop_signal: text,
  storage_opt: map(anything),
  sysctls: pairs,
  tmpfs: textOrTexts,
  tty: flag,
  ulimits,
  use_api_socket: flag,
  user: text,
  userns_mode: text,
  uts: text,
  volume_driver: text,
  volumes: list(either(text, mount)),
  volumes_from: texts,
  working_dir: text,
});

const network = record({
  name: text,
  driver: text,
  driver_opts: options,
  ipam: record({
    driver: text,
    config: list(record({ subnet: text, ip_range: text, gateway: text, aux_addresses: map(text) })),
    options,
  }),
  external,
  internal: flag,
  enable_ipv4: flag,
  enable_ipv6: flag,
  attachable: flag,
  labels: pairs,
});

const volume = record({ name: text, driver: text, driver_opts: options, external, labels: pairs });

const store = {
  name: text,
  file: text,
  environment: text,
  external,
  labels: pairs,
  driver: text,
  driver_opts: options,
  template_driver: text,
};

/** Every key of a Compose file and its allowed values: the Compose specification, with the keys of file versions 2 and 3 that it has dropped. */
export const composeFile: Shape = record({
  version: numeric,
  name: text,
  include: list(either(text, record({ path: textOrTexts, env_file: textOrTexts, project_directory: text }, 'path'))),
  services: either(map(service, names), nothing),
  networks: either(map(either(network, nothing), names), nothing),
  volumes: either(map(either(volume, nothing), names), nothing),
  configs: either(map(record({ ...store, content: text }), names), nothing),
  secrets: either(map(record(store), names), nothing),
  models: either(
    map(record({ name: text, model: text, context_size: numeric, runtime_flags: texts }, 'model'), names),
    nothing,
  ),
});

/** The keys that a service may have. */
export const serviceKeys: ReadonlySet<string> = new Set(service.type === 'record' ? service.fields.keys() : []);
