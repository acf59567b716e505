import { dns1035Label, dnsSubdomain, pathSegment } from '../values/name-rules.js';
import { ResourceField, type FieldRule } from './resource-field.js';
import { labelSelector } from './values.js';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const FAILURE = ['Fail', 'Ignore'];
const MATCH = ['Equivalent', 'Exact'];

/** Checks a ValidatingWebhookConfiguration or MutatingWebhookConfiguration. */
export const webhookConfiguration: FieldRule = (place) => {
  for (const hook of place.at('webhooks').items) webhook(hook);
  ResourceField.unique(place.at('webhooks').items.map((hook) => hook.at('name')));
};

function webhook(hook: ResourceField): void {
  qualified(hook.at('name'));
  for (const rule of hook.at('rules').items) ruleWithOperations(rule);
  choice(hook.at('failurePolicy'), FAILURE);
  choice(hook.at('matchPolicy'), MATCH);
  choice(hook.at('reinvocationPolicy'), ['IfNeeded', 'Never']);
  const effects = hook.at('sideEffects');
  if (effects.value === undefined) effects.error('Required value: must specify one of None, NoneOnDryRun');
  else effects.oneOf(['None', 'NoneOnDryRun'], true);
  hook.at('timeoutSeconds').within(1, 30);
  labelSelector(hook.at('namespaceSelector'));
  labelSelector(hook.at('objectSelector'));
  const versions = hook.at('admissionReviewVersions');
  if (versions.required('must specify one of v1, v1beta1')) {
    for (const version of versions.items) {
      const why = dns1035Label(version.text);
      if (why) version.invalid(why);
    }
    ResourceField.unique(versions.items);
    if (!versions.items.some(({ text }) => text === 'v1' || text === 'v1beta1'))
      versions.invalid('must include at least one of v1, v1beta1');
  }
  clientConfig(hook.at('clientConfig'));
}

function clientConfig(config: ResourceField): void {
  const [url, service] = [config.at('url'), config.at('service')];
  if ((url.value === undefined) === (service.value === undefined))
    config.error('Required value: exactly one of url or service is required');
  else if (url.value === undefined) {
    for (const name of ['name', 'namespace']) service.at(name).required();
    service.at('port').within(1, 65535);
    const path = service.at('path');
    if (path.isGiven && !path.text.startsWith('/')) path.invalid("must start with a '/'");
    const steps = path.text.replace(/^\//, '').replace(/\/$/, '').split('/');
    if (path.isGiven && path.text !== '/')
      for (const step of steps) {
        const why = dnsSubdomain(step);
        if (why) path.invalid(why);
      }
  } else if (!/^https:\/\/[^/?#@]+(\/[^?#]*)?$/.test(url.text))
    url.invalid("'https' is the only allowed URL scheme; desired format: https://host[/path]");
}

function ruleWithOperations(rule: ResourceField): void {
  for (const name of ['operations', 'apiGroups', 'apiVersions', 'resources']) {
    const list = rule.at(name);
    const texts = list.items.map(({ text }) => text);
    if (!list.required()) continue;
    if (name !== 'resources' && texts.length > 1 && texts.includes('*'))
      list.invalid("if '*' is present, must not specify others");
  }
  for (const operation of rule.at('operations').items) operation.oneOf(OPERATIONS, true);
  for (const name of ['apiVersions', 'resources']) for (const item of rule.at(name).items) item.required();
  resources(rule.at('resources'));
  choice(rule.at('scope'), ['*', 'Cluster', 'Namespaced']);
}

function resources(list: ResourceField): void {
  const texts = list.items.map(({ text }) => text);
  if (texts.length > 1 && texts.includes('*/*')) list.invalid("if '*/*' is present, must not specify other resources");
  if (texts.includes('*') && texts.some((text) => text !== '*' && !text.includes('/')))
    list.invalid("if '*' is present, must not specify other resources without subresources");
  for (const item of list.items) {
    const [resource = '', part] = item.text.split('/');
    const covers = part !== undefined && item.text !== `${resource}/*` && texts.includes(`${resource}/*`);
    if (covers && texts.indexOf(`${resource}/*`) < texts.indexOf(item.text))
      item.invalid(`if '${resource}/*' is present, must not specify ${item.text}`);
  }
}

export const admissionPolicy: FieldRule = (place) => {
  const spec = place.at('spec');
  choice(spec.at('failurePolicy'), FAILURE);
  const matching = spec.at('matchConstraints');
  if (!matching.isObject) matching.error('Required value');
  else {
    matchResources(matching);
    matching.at('resourceRules').required();
  }
  if (!spec.has('validations') && !spec.has('auditAnnotations'))
    spec.at('validations').error('Required value: validations or auditAnnotations must contain at least one item');
  for (const validation of spec.at('validations').items)
    if (validation.at('expression').text.trim() === '')
      validation.at('expression').error('Required value: expression is not specified');
  for (const variable of spec.at('variables').items)
    for (const name of ['name', 'expression']) variable.at(name).required();
};

export const admissionPolicyBinding: FieldRule = (place) => {
  const spec = place.at('spec');
  spec.at('policyName').requiredName(dnsSubdomain);
  const actions = spec.at('validationActions');
  if (actions.required('at least one validation action is required')) {
    for (const action of actions.items) action.oneOf(['Audit', 'Deny', 'Warn'], true);
    ResourceField.unique(actions.items);
    const texts = actions.items.map(({ text }) => text);
    if (texts.includes('Deny') && texts.includes('Warn')) actions.invalid('must not contain both Deny and Warn');
  }
  matchResources(spec.at('matchResources'));
  const parameters = spec.at('paramRef');
  if (!parameters.isObject) return;
  const [name, selector, missing] = [
    parameters.at('name'),
    parameters.at('selector'),
    parameters.at('parameterNotFoundAction'),
  ];
  name.named(pathSegment);
  labelSelector(selector);
  if (!name.isGiven && !selector.isObject)
    parameters.error('Required value: one of name or selector must be specified');
  if (name.isGiven && selector.isObject) name.forbidden('name and selector are mutually exclusive');
  missing.oneOf(['Allow', 'Deny'], true);
};

function matchResources(place: ResourceField): void {
  choice(place.at('matchPolicy'), MATCH);
  labelSelector(place.at('namespaceSelector'));
  labelSelector(place.at('objectSelector'));
  for (const name of ['resourceRules', 'excludeResourceRules'])
    for (const rule of place.at(name).items) {
      ruleWithOperations(rule);
      ResourceField.unique(rule.at('resourceNames').items);
    }
}

export const apiService: FieldRule = (place) => {
  const spec = place.at('spec');
  const [group, version] = [spec.at('group').text, spec.at('version')];
  if (place.at('metadata', 'name').text !== `${version.text}.${group}`)
    place.at('metadata', 'name').invalid(`must be \`spec.version+"."+spec.group\`: "${version.text}.${group}"`);
  const why = dns1035Label(version.text);
  if (why) version.invalid(why);
  if (group === '' && version.text !== 'v1')
    spec.at('group').error('Required value: only v1 may have an empty group and it better be legacy kube');
  spec.at('group').named(dnsSubdomain);
  for (const [name, most] of [
    ['groupPriorityMinimum', 20000],
    ['versionPriority', 1000],
  ] as const) {
    const value = spec.at(name).number ?? 0;
    if (value <= 0 || value > most) spec.at(name).invalid(`must be positive and less than ${most}`);
  }
  const service = spec.at('service');
  const isInsecure = spec.at('insecureSkipTLSVerify').value === true;
  if (service.isObject) {
    for (const name of ['namespace', 'name']) service.at(name).required();
    service.at('port').within(1, 65535);
    if (isInsecure && spec.has('caBundle'))
      spec.at('insecureSkipTLSVerify').invalid('may not be true if caBundle is present');
  } else if (isInsecure)
    spec.at('insecureSkipTLSVerify').invalid('local APIServices may not have insecureSkipTLSVerify');
};

/** Checks an optional field of an enumerated type; absent is valid, because it has a default, but empty text is not. */
function choice(place: ResourceField, values: string[]): void {
  if (place.value !== undefined && place.value !== null) place.oneOf(values, true);
}

function qualified(name: ResourceField): void {
  if (!name.required()) return;
  name.named(dnsSubdomain);
  if (name.text.split('.').length < 3)
    name.invalid('should be a domain with at least three segments separated by dots');
}
