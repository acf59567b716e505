import { isObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { definedMembers } from './kubernetes/conversion.js';

/** A container as the corresponding keys of a Compose service; what a container alone does not determine is left out. */
export function toServiceFields(container: JsonObject): JsonObject {
  const security = objectOf(container.securityContext);
  const capabilities = objectOf(security.capabilities);
  const { limits, requests } = objectOf(container.resources);
  return definedMembers({
    image: container.image,
    entrypoint: words(container.command),
    command: words(container.args),
    environment: environmentOf(container.env),
    working_dir: container.workingDir,
    user: userOf(security),
    privileged: security.privileged,
    read_only: security.readOnlyRootFilesystem,
    cap_add: capabilities.add,
    cap_drop: capabilities.drop,
    stdin_open: container.stdin,
    tty: container.tty,
    healthcheck: healthcheckOf(objectOf(container.livenessProbe)),
    deploy: definedMembers({
      resources: definedMembers({ limits: amountsOf(objectOf(limits)), reservations: amountsOf(objectOf(requests)) }),
    }),
  });
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Kubernetes reads `$$` as `$` in these texts. */
function unescaped(text: string): string {
  return text.replaceAll('$$', '$');
}

function words(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? value.map((word) => (typeof word === 'string' ? unescaped(word) : word)) : undefined;
}

function environmentOf(env: Json | undefined): JsonObject {
  const plain = listOf(env).filter(({ name, valueFrom }) => typeof name === 'string' && valueFrom === undefined);
  return Object.fromEntries(
    plain.map(({ name, value }) => [name as string, typeof value === 'string' ? unescaped(value) : '']),
  );
}

function userOf({ runAsUser, runAsGroup }: JsonObject): string | undefined {
  if (typeof runAsUser !== 'number') return undefined;
  return typeof runAsGroup === 'number' ? `${runAsUser}:${runAsGroup}` : String(runAsUser);
}

function healthcheckOf(probe: JsonObject): JsonObject {
  const { command } = objectOf(probe.exec);
  if (!Array.isArray(command)) return {};
  const seconds = (value: Json | undefined): string | undefined =>
    typeof value === 'number' ? `${value}s` : undefined;
  return definedMembers({
    test: ['CMD', ...command],
    interval: seconds(probe.periodSeconds),
    timeout: seconds(probe.timeoutSeconds),
    retries: probe.failureThreshold,
    start_period: seconds(probe.initialDelaySeconds),
  });
}

function amountsOf({ cpu, memory }: JsonObject): JsonObject {
  const [, cores, milli] =
    /^(\d+(?:\.\d+)?)(m?)$/.exec(typeof cpu === 'number' ? String(cpu) : typeof cpu === 'string' ? cpu : '') ?? [];
  const size = typeof memory === 'number' ? String(memory) : typeof memory === 'string' ? memory : '';
  const bytes = /^(\d+)([KMGT]?)i?$/.exec(size);
  return definedMembers({
    cpus: cores === undefined ? undefined : String(milli === 'm' ? Number(cores) / 1000 : Number(cores)),
    memory: bytes ? `${bytes[1] ?? ''}${(bytes[2] ?? '').toLowerCase()}` : undefined,
  });
}
