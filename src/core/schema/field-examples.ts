import 'reflect-metadata';
import { DECORATORS } from '@nestjs/swagger';

/** The example value of ids, to be replaced by the reader. */
export const EXAMPLE_ID = '01890a5d-ac96-774b-bcce-b302099a8057';
export const EXAMPLE_TIME = '2027-01-31T18:00:00.000Z';

const RESOURCE = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'blue' } };

/** A manifest, as text. */
export const EXAMPLE_MANIFEST = JSON.stringify(RESOURCE);

/** A design file with one component. */
export const EXAMPLE_DESIGN = {
  name: 'shop',
  version: '1.0.0',
  services: { settings: { type: 'ConfigMap', apiVersion: 'v1', settings: { data: { colour: 'blue' } } } },
};

/** Example values of fields that many records have; a view or input can override them. */
const EXAMPLES: Record<string, unknown> = {
  action: 'created',
  api_version: 'apps/v1',
  apiVersion: 'apps/v1',
  category: 'Orchestration & Management',
  catalog_data: { content_class: 'community', type: 'Deployment' },
  code: 'VALIDATION_FAILED',
  current_password: 'correct horse battery staple',
  description: 'The web shop.',
  detail: 'is required',
  displayName: 'Deployment',
  email: 'ada@example.org',
  file_name: 'shop.yaml',
  first_name: 'Ada',
  hostname: 'kubernetes.io',
  kind: 'Deployment',
  last_name: 'Lovelace',
  message: 'Raise the memory limit.',
  model: 'kubernetes',
  modelName: 'shop',
  name: 'shop',
  namespace: 'shop',
  password: 'correct horse battery staple',
  path: '/spec/replicas',
  phase: 'pre-install',
  pointer: '/name',
  reason: 'Reviewed with the team.',
  role: 'member',
  schemaVersion: 'v1beta1',
  source: 'https://charts.example.com/shop-1.0.0.tgz',
  source_type: 'kubernetes',
  sub_type: 'orchestration',
  timezone: 'Europe/Berlin',
  type: 'platform',
  url: 'https://example.com/shop.yaml',
  version: '1.0.0',
};

/** The example of a field by its name; undefined for an unknown name. */
export const findExample = (name: string): unknown => EXAMPLES[name];

export const FORMS = 'x-forms';

/**
 * Names the forms in which an input can be sent, each with values of its fields; required fields are in every form. The
 * document has an example of each. Forms of a class replace those of the class that it extends.
 */
export const InputForms = (forms: Record<string, object>): ClassDecorator =>
  Reflect.metadata(DECORATORS.API_EXTENSION, { [FORMS]: forms });
