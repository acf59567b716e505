import { isObject } from '../../core/json/json.js';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../values/name-rules.js';
import { container, seccompProfile } from './containers.js';
import { nodeSelector, nodeTerm } from './node-selectors.js';
import { ResourceField } from './resource-field.js';
import { ipAddress, labels, labelSelector } from './values.js';
import { volume } from './volumes.js';

/** Checks a PodSpec: of a Pod, or of a Pod template. */
export function podSpec(spec: ResourceField): void {
  const volumes = spec.at('volumes');
  for (const item of volumes.items) volume(item);
  ResourceField.unique(volumes.items.map((item) => item.at('name')));
  const known = new Set(volumes.items.map((item) => item.at('name').text));
  spec.at('containers').required();
  const all = [...spec.at('containers').items, ...spec.at('initContainers').items];
  for (const item of all) container(item, known);
  ResourceField.unique(all.map((item) => item.at('name')));
  hostPorts(spec);
  for (const item of spec.at('initContainers').items) {
    if (item.at('restartPolicy').text === 'Always') continue;
    for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'])
      if (item.at(name).isObject)
        item.at(name).forbidden('may not be set for init containers without restartPolicy=Always');
  }
  spec.at('restartPolicy').oneOf(['Always', 'OnFailure', 'Never']);
  const dns = spec.at('dnsPolicy');
  dns.oneOf(['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']);
  if (dns.text === 'None' && !spec.has('dnsConfig', 'nameservers'))
    spec.at('dnsConfig', 'nameservers').required('must provide at least one DNS nameserver when `dnsPolicy` is None');
  for (const address of spec.at('dnsConfig', 'nameservers').items) ipAddress(address);
  labels(spec.at('nodeSelector'));
  spec.at('serviceAccountName').named(dnsSubdomain);
  spec.at('nodeName').named(dnsSubdomain);
  spec.at('hostname').named(dnsLabel);
  spec.at('subdomain').named(dnsLabel);
  spec.at('runtimeClassName').named(dnsSubdomain);
  spec.at('priorityClassName').named(dnsSubdomain);
  if (spec.at('activeDeadlineSeconds').value !== undefined) spec.at('activeDeadlineSeconds').within(1, 2 ** 31 - 1);
  spec.at('preemptionPolicy').oneOf(['PreemptLowerPriority', 'Never']);
  for (const toleration of spec.at('tolerations').items) tolerance(toleration);
  for (const alias of spec.at('hostAliases').items) {
    if (!alias.has('ip')) alias.at('ip').invalid('must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
    ipAddress(alias.at('ip'));
    for (const name of alias.at('hostnames').items) name.named(dnsSubdomain);
  }
  podSecurity(spec);
  affinity(spec.at('affinity'));
  spread(spec.at('topologySpreadConstraints'));
  for (const gate of spec.at('readinessGates').items) gate.at('conditionType').requiredName(qualifiedName);
}

function hostPorts(spec: ResourceField): void {
  const used = new Map<string, number>();
  for (const port of spec.at('containers').items.flatMap((item) => item.at('ports').items)) {
    const host = port.at('hostPort');
    const key = [host.number, port.at('protocol').text || 'TCP', port.at('hostIP').text].join(' ');
    if (host.isGiven && used.has(key)) host.duplicate();
    used.set(key, 1);
    const own = port.at('containerPort');
    if (spec.at('hostNetwork').value === true && host.isGiven && host.number !== own.number)
      own.invalid('must match `hostPort` when `hostNetwork` is true');
  }
}

function podSecurity(spec: ResourceField): void {
  const context = spec.at('securityContext');
  for (const name of ['runAsUser', 'runAsGroup', 'fsGroup']) context.at(name).within(0, 2 ** 31 - 1);
  for (const group of context.at('supplementalGroups').items) group.within(0, 2 ** 31 - 1);
  context.at('fsGroupChangePolicy').oneOf(['OnRootMismatch', 'Always']);
  for (const setting of context.at('sysctls').items) setting.at('name').required();
  seccompProfile(context.at('seccompProfile'));
  if (spec.at('hostPID').value === true && spec.at('shareProcessNamespace').value === true)
    spec.at('shareProcessNamespace').invalid('ShareProcessNamespace and HostPID cannot both be enabled');
}

function tolerance(toleration: ResourceField): void {
  const [key, operator, value, effect] = ['key', 'operator', 'value', 'effect'].map((name) => toleration.at(name)) as [
    ResourceField,
    ResourceField,
    ResourceField,
    ResourceField,
  ];
  key.named(qualifiedName);
  if (!key.isGiven && operator.text !== 'Exists')
    operator.invalid('operator must be Exists when `key` is empty, which means "match all values and all keys"');
  if (toleration.at('tolerationSeconds').value !== undefined && effect.text !== 'NoExecute')
    effect.invalid("effect must be 'NoExecute' when `tolerationSeconds` is set");
  if (operator.text === 'Exists') {
    if (value.isGiven) operator.invalid("value must be empty when `operator` is 'Exists'");
  } else if (operator.text === '' || operator.text === 'Equal') value.named(labelValue);
  else operator.oneOf(['Equal', 'Exists']);
  effect.oneOf(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
}

function affinity(place: ResourceField): void {
  const [required, preferred] = [
    'requiredDuringSchedulingIgnoredDuringExecution',
    'preferredDuringSchedulingIgnoredDuringExecution',
  ];
  const node = place.at('nodeAffinity');
  if (node.at(required ?? '').isObject) nodeSelector(node.at(required ?? ''));
  for (const choice of node.at(preferred ?? '').items) {
    weight(choice);
    nodeTerm(choice.at('preference'));
  }
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    for (const term of place.at(kind, required ?? '').items) podTerm(term);
    for (const choice of place.at(kind, preferred ?? '').items) {
      weight(choice);
      podTerm(choice.at('podAffinityTerm'));
    }
  }
}

function weight(choice: ResourceField): void {
  const given = choice.at('weight');
  if (!given.isGiven) given.invalid('must be in the range 1-100');
  else if ((given.number ?? 0) < 1 || (given.number ?? 0) > 100) given.invalid('must be in the range 1-100');
}

function podTerm(term: ResourceField): void {
  labelSelector(term.at('labelSelector'));
  labelSelector(term.at('namespaceSelector'));
  const key = term.at('topologyKey');
  if (key.required('can not be empty')) key.named(qualifiedName);
  for (const name of term.at('namespaces').items) name.named(dnsLabel);
}

function spread(list: ResourceField): void {
  for (const constraint of list.items) {
    const skew = constraint.at('maxSkew');
    if ((skew.number ?? 0) <= 0) skew.invalid('must be greater than zero');
    if (constraint.at('topologyKey').required('can not be empty')) constraint.at('topologyKey').named(qualifiedName);
    constraint.at('whenUnsatisfiable').oneOf(['DoNotSchedule', 'ScheduleAnyway'], true);
    labelSelector(constraint.at('labelSelector'));
    if (
      isObject(constraint.value) &&
      constraint.at('minDomains').number !== undefined &&
      (constraint.at('minDomains').number ?? 0) <= 0
    )
      constraint.at('minDomains').invalid('must be greater than zero');
  }
  ResourceField.unique(
    list.items.filter((constraint) => constraint.has('topologyKey')),
    (constraint) => `${constraint.at('topologyKey').text}/${constraint.at('whenUnsatisfiable').text}`,
  );
}
