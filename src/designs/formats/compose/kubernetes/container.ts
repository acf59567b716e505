import type { Json, JsonObject } from '../../../../core/json/json.js';
import { buildEnvironment } from './environment.js';
import { escapeVariableReferences } from './environment.js';
import { toDnsLabel } from './names.js';
import { type ComposeHook, type ComposePort } from '../project.js';
import { definedMembers, type ServiceConversion } from './conversion.js';
import { buildProbes } from './probes.js';
import { buildResources } from './resources.js';
import { buildContainerSecurity } from './security.js';

const pullPolicies: Record<string, string> = {
  always: 'Always',
  never: 'Never',
  missing: 'IfNotPresent',
  if_not_present: 'IfNotPresent',
};

/** The container of a service; `volumeMounts` are created elsewhere, because they need volumes in the pod. */
export function buildContainer(conversion: ServiceConversion, volumeMounts: Json[]): JsonObject {
  const { service, name } = conversion;
  const { command, args } = buildCommand(conversion);
  const { env, envFrom } = buildEnvironment(conversion);
  return definedMembers({
    name: toDnsLabel(service.container_name ?? '') || name,
    image: service.image || name,
    command,
    args,
    workingDir: service.working_dir || undefined,
    env,
    envFrom,
    ports: containerPorts(conversion),
    resources: buildResources(conversion),
    volumeMounts,
    ...buildProbes(conversion),
    lifecycle: definedMembers({
      postStart: hookOf(conversion, 'post_start', service.post_start),
      preStop: hookOf(conversion, 'pre_stop', service.pre_stop),
    }),
    imagePullPolicy: pullPolicy(conversion),
    securityContext: buildContainerSecurity(conversion),
    stdin: service.stdin_open || undefined,
    tty: service.tty || undefined,
  });
}

/**
 * The entry point and its arguments. An empty entry point removes that of the image, so that the command is what runs; Kubernetes
 * would take an empty `command` for that of the image.
 */
function buildCommand(conversion: ServiceConversion): { command?: string[]; args?: string[] } {
  const { entrypoint, command } = conversion.service;
  const [first, rest] = [entrypoint?.map(escapeVariableReferences), command?.map(escapeVariableReferences)];
  if (first?.length !== 0) return { command: first, args: rest };
  if (rest && rest.length > 0) return { command: rest };
  conversion.warn(
    ['entrypoint'],
    'is empty, and without a command: in Kubernetes the entry point of the image runs',
    'Write in "command" what the container runs.',
  );
  return {};
}

/** All ports of a service, published and exposed, each target and protocol once. */
export function containerPortsOf({ service }: ServiceConversion): ComposePort[] {
  const ports = new Map<string, ComposePort>();
  for (const port of [...(service.ports ?? []), ...(service.expose ?? []).flatMap(exposedPorts)]) {
    const key = `${port.target}/${port.protocol}`;
    if (!ports.has(key)) ports.set(key, port);
  }
  return [...ports.values()];
}

export function exposedPorts(exposed: string): ComposePort[] {
  const [numbers = '', protocol = 'tcp'] = exposed.toLowerCase().split('/');
  const [first = 0, last = first] = numbers.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    target: first + index,
    protocol: protocol as ComposePort['protocol'],
  }));
}

function containerPorts(conversion: ServiceConversion): Json[] {
  const host = conversion.label('kompose.controller.port.expose') === 'true';
  return containerPortsOf(conversion).map(({ target, protocol, published }) =>
    definedMembers({
      containerPort: target,
      protocol: protocol.toUpperCase(),
      hostPort: host && published !== undefined ? Number(published.split('-')[0]) : undefined,
    }),
  );
}

function pullPolicy(conversion: ServiceConversion): string | undefined {
  const label = conversion.label('kompose.image-pull-policy');
  if (label !== undefined) {
    if (['Always', 'IfNotPresent', 'Never'].includes(label)) return label;
    conversion.labelFault('kompose.image-pull-policy', 'Always, IfNotPresent or Never');
    return undefined;
  }
  const { pull_policy: policy } = conversion.service;
  if (policy === undefined) return undefined;
  return pullPolicies[policy] ?? conversion.keepInComponent('pull_policy');
}

function hookOf(conversion: ServiceConversion, key: string, hooks: ComposeHook[] = []): JsonObject | undefined {
  const [hook] = hooks;
  if (hook === undefined) return undefined;
  const plain = hooks.length === 1 && Object.keys(hook).every((field) => field === 'command');
  if (!plain || !hook.command || hook.command.length === 0) {
    return conversion.keepInComponent(
      key,
      `${key} is kept, but Kubernetes runs one plain command only`,
      'Put it in one script.',
    );
  }
  return { exec: { command: hook.command } };
}
