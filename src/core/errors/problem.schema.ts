import { ERROR_CODES } from './error-codes.js';

const text = (description?: string) => ({ type: 'string', ...(description ? { description } : {}) });
const texts = (description: string) => ({ type: 'array', description, items: { type: 'string' } });
const id = (description: string) => ({ type: 'string', format: 'uuid', description });
const list = (description: string, properties: Record<string, object>) => ({
  type: 'array',
  description,
  items: { type: 'object', properties },
});

const REFERENCE = { id: id('The id.'), name: text('The name.') };
const DESTINATION = {
  design_id: id('The design.'),
  environment_id: id('The environment.'),
  connection_id: id('The connection.'),
  deployment_id: id('The deployment.'),
  status: text('The status of the deployment, or `deployed`.'),
};

/** Members that problems of some codes have in addition. */
const EXTENSIONS = {
  deployment: {
    description: 'The deployment that failed; its id and status alone in the error of an operation.',
    anyOf: [
      { $ref: '#/components/schemas/DeploymentView' },
      { type: 'object', required: ['id', 'status'], properties: { id: id('The id.'), status: text('The status.') } },
    ],
  },
  deployed: list('Where the design is deployed (`NOT_DEPLOYED`).', DESTINATION),
  deployments: list('What is deployed, or being deployed, there (`IN_USE`).', DESTINATION),
  choices: list('The targets to choose from.', {
    ...REFERENCE,
    environment_id: id('The environment.'),
    connection_id: id('The connection.'),
  }),
  connection: { $ref: '#/components/schemas/ConnectionView', description: 'The connection whose ping failed.' },
  connections: list('The connections that use the credential (`IN_USE`).', REFERENCE),
  controllers: texts('What is installed through the connection (`IN_USE`).'),
  workspaces: list('The workspaces of the organization (`IN_USE`).', REFERENCE),
  teams: list('The teams through which the member has access.', REFERENCE),
  ids: texts('The records of that name (`AMBIGUOUS_NAME`).'),
  registrants: list('The registrants of that name (`AMBIGUOUS_NAME`).', {
    id: id('The id.'),
    kind: text('The kind.'),
    hostname: text('The host name.'),
  }),
  allowed: texts('The statuses that are allowed next.'),
  violations: {
    type: 'array',
    description: 'The violations of policies (`POLICY_VIOLATION`).',
    items: { $ref: '#/components/schemas/PolicyViolationView' },
  },
  missing_approvals: { type: 'integer', description: 'How many approvals are missing (`APPROVAL_REQUIRED`).' },
  freeze: text('The name of the freeze (`ENVIRONMENT_FROZEN`).'),
  ends_at: { type: 'string', format: 'date-time', description: 'When the freeze ends (`ENVIRONMENT_FROZEN`).' },
  deployed_namespace: text('Where the design is deployed (`NAMESPACE_CHANGED`).'),
  requested_namespace: text('The namespace of the request (`NAMESPACE_CHANGED`).'),
  key: text('The quota that is used up (`QUOTA_EXCEEDED`).'),
  limit: { type: 'integer', description: 'The limit.' },
  use: { type: 'integer', description: 'How much of the quota is used (`QUOTA_EXCEEDED`).' },
  workspace_id: id('The workspace of the quota (`QUOTA_EXCEEDED`).'),
  oldest: text('The sequence of the oldest event that is kept (`REPLAY_EXPIRED`).'),
  since: { type: 'string', format: 'date-time', description: 'Up to when events were removed (`REPLAY_EXPIRED`).' },
  host: text('The host that is not called (`OUTBOUND_REFUSED`).'),
  retry_after: { type: 'integer', description: 'Seconds to wait before the next try.' },
};

/** An error code, for programs. */
export const ERROR_CODE_SCHEMA = {
  type: 'string',
  description: 'A stable name of the failure, for programs.',
  enum: Object.values(ERROR_CODES).flatMap((codes) => codes.map(({ code }) => code)),
};

/** The schema of a problem document in the served OpenAPI. */
export const PROBLEM_SCHEMA = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'error', 'errors', 'remedy', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Where the code is explained.' },
    title: text(),
    status: { type: 'integer' },
    detail: text(),
    code: { $ref: '#/components/schemas/ErrorCode' },
    error: text('The same as detail.'),
    errors: {
      type: 'array',
      description: 'Every fault of the request at once.',
      items: {
        type: 'object',
        required: ['detail'],
        properties: {
          pointer: text('A JSON Pointer into the body, or the name of a parameter.'),
          detail: text(),
          remedy: text(),
          keyword: text('The rule that is broken.'),
          entity: text('What of a package is at fault.'),
          path: text('The file in the package, or a name.'),
          file: text('The file of an upload.'),
          line: { type: 'integer' },
          column: { type: 'integer' },
        },
      },
    },
    remedy: text('What the caller can do.'),
    request_id: text(),
    ...EXTENSIONS,
  },
};
