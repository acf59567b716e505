import { dnsLabel, dnsSubdomain, pathSegment } from '../values/name-rules.js';
import { type ResourceField, type FieldRule } from './resource-field.js';
import { amountOf, countOrPercent, labelSelector } from './values.js';

const RBAC = 'rbac.authorization.k8s.io';
const GROUPS: Record<string, string> = { ServiceAccount: '', User: RBAC, Group: RBAC };
const METRICS: Record<string, string> = {
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
  External: 'external',
  ContainerResource: 'containerResource',
};

const policyRules = (place: ResourceField, isNamespaced: boolean): void => {
  for (const rule of place.at('rules').items) {
    rule.at('verbs').required('verbs must contain at least one value');
    const paths = rule.at('nonResourceURLs');
    if (paths.isGiven) {
      if (isNamespaced) paths.invalid('namespaced rules cannot apply to non-resource URLs');
      if (['apiGroups', 'resources', 'resourceNames'].some((name) => rule.has(name)))
        paths.invalid('rules cannot apply to both regular resources and non-resource URLs');
      continue;
    }
    rule.at('apiGroups').required('resource rules must supply at least one api group');
    rule.at('resources').required('resource rules must supply at least one resource');
  }
};

export const role: FieldRule = (place) => policyRules(place, true);

export const clusterRole: FieldRule = (place) => {
  policyRules(place, false);
  const selectors = place.at('aggregationRule', 'clusterRoleSelectors');
  if (place.at('aggregationRule').isObject)
    selectors.required('at least one clusterRoleSelector required if aggregationRule is non-nil');
  for (const selector of selectors.items) labelSelector(selector);
};

export const roleBinding: FieldRule = (place) => binding(place, ['Role', 'ClusterRole'], true);
export const clusterRoleBinding: FieldRule = (place) => binding(place, ['ClusterRole'], false);

function binding(place: ResourceField, kinds: string[], isNamespaced: boolean): void {
  const reference = place.at('roleRef');
  if (reference.at('apiGroup').isGiven) reference.at('apiGroup').oneOf([RBAC]);
  reference.at('kind').oneOf(kinds, true);
  reference.at('name').requiredName(pathSegment);
  for (const subject of place.at('subjects').items) {
    const kind = subject.at('kind');
    subject.at('name').required();
    kind.oneOf(['ServiceAccount', 'User', 'Group'], true);
    const expected = Object.hasOwn(GROUPS, kind.text) ? GROUPS[kind.text] : undefined;
    const group = subject.at('apiGroup');
    if (expected !== undefined && group.isGiven && group.text !== expected) group.oneOf([expected]);
    if (kind.text === 'ServiceAccount') subject.at('name').named(dnsSubdomain);
    if (kind.text === 'ServiceAccount' && !isNamespaced) subject.at('namespace').required();
  }
}

export const disruptionBudget: FieldRule = (place) => {
  const [least, most] = [place.at('spec', 'minAvailable'), place.at('spec', 'maxUnavailable')];
  if (least.value !== undefined && most.value !== undefined)
    place.at('spec').invalid('minAvailable and maxUnavailable cannot be both set');
  countOrPercent(least, 100);
  countOrPercent(most, 100);
  labelSelector(place.at('spec', 'selector'));
  const unhealthy = place.at('spec', 'unhealthyPodEvictionPolicy');
  if (unhealthy.value !== undefined) unhealthy.oneOf(['AlwaysAllow', 'IfHealthyBudget'], true);
};

export const podAutoscaler: FieldRule = (place) => {
  const spec = place.at('spec');
  const [least, most] = [spec.at('minReplicas'), spec.at('maxReplicas')];
  if ((least.number ?? 1) < 1) least.invalid('must be greater than or equal to 1');
  if ((most.number ?? 0) < 1) most.invalid('must be greater than 0');
  if ((most.number ?? 0) < (least.number ?? 1)) most.invalid('must be greater than or equal to `minReplicas`');
  for (const name of ['kind', 'name']) spec.at('scaleTargetRef', name).requiredName(pathSegment);
  const target = spec.at('scaleTargetRef', 'apiVersion');
  if (!/^[^/]+\/[^/]+$/.test(target.text)) target.invalid('apiVersion must specify API group');
  const percent = spec.at('targetCPUUtilizationPercentage');
  if (percent.number !== undefined && percent.number < 1) percent.invalid('must be greater than 0');
  for (const metric of spec.at('metrics').items) scalingMetric(metric);
  for (const way of ['scaleUp', 'scaleDown']) {
    const behavior = spec.at('behavior', way);
    behavior.at('stabilizationWindowSeconds').within(0, 3600);
    if (behavior.at('selectPolicy').value !== undefined)
      behavior.at('selectPolicy').oneOf(['Max', 'Min', 'Disabled'], true);
    for (const policy of behavior.at('policies').items) scalingPolicy(policy);
  }
};

function scalingPolicy(policy: ResourceField): void {
  policy.at('type').oneOf(['Pods', 'Percent'], true);
  for (const name of ['value', 'periodSeconds'])
    if ((policy.at(name).number ?? 0) <= 0) policy.at(name).invalid('must be greater than zero');
  if ((policy.at('periodSeconds').number ?? 0) > 1800)
    policy.at('periodSeconds').invalid('must be less than or equal to 1800');
}

function scalingMetric(metric: ResourceField): void {
  const type = metric.at('type');
  type.oneOf(Object.keys(METRICS), true);
  const expected = METRICS[type.text];
  const given = Object.values(METRICS).filter((name) => metric.at(name).isObject);
  if (expected !== undefined && !given.includes(expected))
    metric.at(expected).error('Required value: must populate information for the given metric source');
  for (const name of given)
    if (given.length > 1 && name !== expected) metric.at(name).forbidden('must populate the given metric source only');
  const [source] = given;
  if (source === undefined) return;
  const target = metric.at(source, 'target');
  if (!['Utilization', 'Value', 'AverageValue'].includes(target.at('type').text))
    target.at('type').invalid('must be either Utilization, Value, or AverageValue');
  for (const name of ['value', 'averageValue'])
    if ((amountOf(target.at(name)) ?? 1n) <= 0n) target.at(name).invalid('must be positive');
  const share = target.at('averageUtilization');
  if (share.number !== undefined && share.number < 1) share.invalid('must be greater than 0');
  const isResource = source === 'resource' || source === 'containerResource';
  if (isResource) metric.at(source, 'name').required('must specify a resource name');
  else metric.at(source, 'metric', 'name').requiredName(pathSegment);
  if (source === 'containerResource') metric.at(source, 'container').requiredName(dnsLabel);
  const hasTarget = (name: string): boolean => target.at(name).value !== undefined;
  if (isResource) {
    if (!share.value && !hasTarget('averageValue'))
      target
        .at('averageUtilization')
        .error('Required value: must set either a target raw value or a target utilization');
    if (share.value !== undefined && hasTarget('averageValue'))
      target.at('averageValue').forbidden('may not set both a target raw value and a target utilization');
  } else if (!hasTarget('averageValue') && (source === 'pods' || !hasTarget('value')))
    target.at('averageValue').error('Required value: must specify a positive target averageValue');
}

export const priorityClass: FieldRule = (place) => {
  const [name, value] = [place.at('metadata', 'name'), place.at('value')];
  if (name.text.startsWith('system-'))
    name.forbidden("priority class names with 'system-' prefix are reserved for system use only");
  if ((value.number ?? 0) > 1_000_000_000)
    value.forbidden('maximum allowed value of a user defined priority is 1000000000');
  if (place.at('preemptionPolicy').value !== undefined)
    place.at('preemptionPolicy').oneOf(['PreemptLowerPriority', 'Never'], true);
};
