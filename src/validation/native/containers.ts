import { configKey, dnsLabel, dnsSubdomain, portName, qualifiedName } from '../values/name-rules.js';
import { ResourceField } from './resource-field.js';
import { amountOf, portNumberOrName } from './values.js';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const STANDARD = new Set(['cpu', 'memory', 'storage', 'ephemeral-storage']);
const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

/** The fields of a pod that `fieldRef` can reference. */
const FIELDS = new Set(
  'metadata.name metadata.namespace metadata.uid spec.nodeName spec.serviceAccountName status.hostIP status.hostIPs status.podIP status.podIPs'.split(
    ' ',
  ),
);

/** Checks a container of a pod. @param volumes names of the volumes of the pod */
export function container(place: ResourceField, volumes: Set<string>): void {
  place.at('name').requiredName(dnsLabel);
  const image = place.at('image');
  if (image.required() && image.text.trim() !== image.text)
    image.invalid('must not have leading or trailing whitespace');
  if (place.at('restartPolicy').value !== undefined)
    place.at('restartPolicy').oneOf(['Always', 'OnFailure', 'Never'], true);
  place.at('imagePullPolicy').oneOf(['Always', 'IfNotPresent', 'Never']);
  place.at('terminationMessagePolicy').oneOf(['File', 'FallbackToLogsOnError']);
  ports(place.at('ports'));
  for (const variable of place.at('env').items) environmentVariable(variable);
  for (const source of place.at('envFrom').items) environmentSource(source);
  mounts(place.at('volumeMounts'), volumes);
  resources(place.at('resources'));
  for (const name of PROBES) if (place.at(name).isObject) probe(place.at(name), name);
  for (const moment of ['postStart', 'preStop']) {
    const hook = place.at('lifecycle', moment);
    if (hook.isObject) handler(hook, [...HANDLERS.slice(0, 3), 'sleep']);
  }
  securityContext(place.at('securityContext'));
}

function ports(list: ResourceField): void {
  for (const port of list.items) {
    const number = port.at('containerPort');
    if (number.required()) number.within(1, 65535);
    if (port.has('hostPort')) port.at('hostPort').within(1, 65535);
    port.at('protocol').oneOf(['SCTP', 'TCP', 'UDP']);
    port.at('name').named(portName);
  }
  ResourceField.unique(list.items.map((port) => port.at('name')));
}

function environmentVariable(variable: ResourceField): void {
  const name = variable.at('name');
  if (name.required() && !/^[ -<>-~]+$/.test(name.text))
    name.invalid("a valid environment variable name must consist only of printable ASCII characters other than '='");
  const from = variable.at('valueFrom');
  if (!from.isObject) return;
  const given = SOURCES.filter((source) => from.at(source).isObject);
  if (given.length === 0)
    from.invalid('must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`');
  else if (variable.has('value')) from.invalid('may not be specified when `value` is not empty');
  else if (given.length > 1) from.invalid('may not have more than one field specified at a time');
  for (const source of ['configMapKeyRef', 'secretKeyRef']) {
    const reference = from.at(source);
    if (!reference.isObject) continue;
    reference.at('name').requiredName(dnsSubdomain);
    reference.at('key').requiredName(configKey);
  }
  if (from.at('fieldRef').isObject) fieldReference(from.at('fieldRef'));
  if (from.at('resourceFieldRef').isObject) from.at('resourceFieldRef', 'resource').required();
}

function fieldReference(reference: ResourceField): void {
  const [version, path] = [reference.at('apiVersion'), reference.at('fieldPath')];
  if (!path.required()) return;
  if (version.text !== '' && version.text !== 'v1')
    path.invalid(`error converting fieldPath: unsupported pod version: ${version.text}`);
  else if (!FIELDS.has(path.text) && !/^metadata\.(labels|annotations)\['[^']+'\]$/.test(path.text))
    path.invalid(`error converting fieldPath: field label not supported: ${path.text}`);
}

function environmentSource(source: ResourceField): void {
  const references = ['configMapRef', 'secretRef']
    .map((name) => source.at(name))
    .filter((reference) => reference.isObject);
  if (references.length === 0) source.invalid('must specify one of: `configMapRef` or `secretRef`');
  if (references.length > 1) source.invalid('may not have more than one field specified at a time');
  for (const reference of references) reference.at('name').requiredName(dnsSubdomain);
}

function mounts(list: ResourceField, volumes: Set<string>): void {
  for (const mount of list.items) {
    const name = mount.at('name');
    if (name.required() && !volumes.has(name.text)) name.error(`Not found: ${JSON.stringify(name.text)}`);
    mount.at('mountPath').required();
    const inner = mount.at('subPath');
    if (inner.text.startsWith('/')) inner.invalid('must be a relative path');
    if (inner.text.split('/').includes('..')) inner.invalid("must not contain '..'");
    if (inner.isGiven && mount.has('subPathExpr'))
      mount.at('subPathExpr').invalid('subPathExpr and subPath are mutually exclusive');
    if (mount.at('recursiveReadOnly').value !== undefined)
      mount.at('recursiveReadOnly').oneOf(['Disabled', 'Enabled', 'IfPossible'], true);
    if (mount.at('mountPropagation').value !== undefined)
      mount.at('mountPropagation').oneOf(['None', 'HostToContainer', 'Bidirectional'], true);
  }
  ResourceField.unique(list.items.map((mount) => mount.at('mountPath')));
}

/** Checks requests and limits: known resource names, no negative quantities, no request above its limit. */
export function resources(place: ResourceField): void {
  const limits = place.at('limits');
  for (const side of ['limits', 'requests'])
    for (const [name, amount] of place.at(side).entries) {
      if (!STANDARD.has(name) && !name.startsWith('hugepages-') && !name.includes('/'))
        amount.invalid('must be a standard resource for containers');
      else if (!STANDARD.has(name) && qualifiedName(name)) amount.invalid(qualifiedName(name) ?? '');
      const value = amountOf(amount);
      if (side === 'requests' && !STANDARD.has(name) && limits.at(name).value === undefined)
        limits.error('Required value: Limit must be set for non overcommitable resources');
      if (value !== undefined && value < 0n) amount.invalid('must be greater than or equal to 0');
      const limit = side === 'requests' ? amountOf(limits.at(name)) : undefined;
      if (value === undefined || limit === undefined) continue;
      if (value > limit) amount.invalid(`must be less than or equal to ${name} limit of ${limits.at(name).shown}`);
      else if (value !== limit && !STANDARD.has(name))
        amount.invalid(`must be equal to ${name} limit of ${limits.at(name).shown}`);
    }
}

function probe(place: ResourceField, name: string): void {
  handler(place, HANDLERS);
  for (const field of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ])
    place.at(field).within(0);
  const successes = place.at('successThreshold');
  if (name !== 'readinessProbe' && successes.isGiven && successes.number !== 1) successes.invalid('must be 1');
  const grace = place.at('terminationGracePeriodSeconds');
  if (grace.value !== undefined && name === 'readinessProbe') grace.invalid('must not be set for readinessProbes');
  else grace.within(1);
}

function handler(place: ResourceField, known: string[]): void {
  const given = known.filter((name) => place.at(name).isObject);
  if (given.length === 0) place.error('Required value: must specify a handler type');
  for (const name of given.slice(1)) place.at(name).forbidden('may not specify more than 1 handler type');
  const [first] = given;
  const chosen = place.at(first ?? '');
  if (first === 'exec') chosen.at('command').required();
  if (first === 'httpGet' || first === 'tcpSocket') {
    if (chosen.at('port').value === undefined || chosen.at('port').value === 0 || chosen.at('port').value === '')
      chosen.at('port').invalid('must be between 1 and 65535, inclusive');
    else portNumberOrName(chosen.at('port'));
  }
  if (first === 'httpGet') chosen.at('scheme').oneOf(['HTTP', 'HTTPS']);
  if (first === 'grpc') {
    const port = chosen.at('port');
    if (!port.isGiven || (port.number ?? 0) < 1 || (port.number ?? 0) > 65535)
      port.invalid('must be between 1 and 65535, inclusive');
  }
}

function securityContext(place: ResourceField): void {
  for (const name of ['runAsUser', 'runAsGroup']) place.at(name).within(0, 2 ** 31 - 1);
  if (place.at('privileged').value === true && place.at('allowPrivilegeEscalation').value === false)
    place.invalid('cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  place.at('procMount').oneOf(['Default', 'Unmasked']);
  seccompProfile(place.at('seccompProfile'));
}

/** Checks a seccomp profile: `localhostProfile` is set for the type Localhost only. */
export function seccompProfile(place: ResourceField): void {
  if (!place.isObject) return;
  const [type, path] = [place.at('type'), place.at('localhostProfile')];
  type.oneOf(['Localhost', 'RuntimeDefault', 'Unconfined'], true);
  if (type.text === 'Localhost') path.required('must be set when seccomp type is Localhost');
  else if (path.value !== undefined) path.invalid('can only be set when seccomp type is Localhost');
}
