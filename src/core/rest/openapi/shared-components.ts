import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODE_SCHEMA, PROBLEM_SCHEMA } from '../../errors/problem.schema.js';

type Components = NonNullable<OpenAPIObject['components']>;
export type ResponseObject = Exclude<NonNullable<Components['responses']>[string], { $ref: string }>;
export type HeaderObject = Exclude<NonNullable<Components['headers']>[string], { $ref: string }>;

const ERRORS = {
  400: ['BadRequest', 'A parameter or the body is malformed; `errors` names every fault.'],
  401: ['Unauthorized', 'There is no valid token or secret.'],
  403: ['Forbidden', 'The caller sees the record, but the role or the scope of the token does not allow the call.'],
  404: ['NotFound', 'The record does not exist, or the caller does not see it.'],
  409: ['Conflict', 'The state of the record, a quota, or a concurrent call does not allow it.'],
  410: ['Gone', 'The resource was valid once: it was used, it expired, or it is no longer kept.'],
  412: ['PreconditionFailed', 'The record has changed since the ETag in `If-Match` was read.'],
  413: ['PayloadTooLarge', 'The body, or the requested response, is larger than the limit.'],
  415: ['UnsupportedMediaType', 'The body is of a media type that the route does not take.'],
  422: ['UnprocessableContent', 'The work failed, or the `Idempotency-Key` was used with another body.'],
  429: ['TooManyRequests', 'The caller has used up a limit; `Retry-After` says when to try again.'],
  500: ['InternalError', 'The server failed; the log explains it under the `request_id`.'],
  502: ['BadGateway', 'A cluster, the issuer of tokens or another remote system failed.'],
  503: ['ServiceUnavailable', 'The server or its database is busy or unavailable; try again later.'],
  504: ['GatewayTimeout', 'A cluster or another remote system did not answer in time.'],
} as const;

export type ErrorStatus = keyof typeof ERRORS;

const text = (description: string): HeaderObject => ({ description, schema: { type: 'string' } });
const count = (description: string): HeaderObject => ({ description, schema: { type: 'integer', minimum: 0 } });

const HEADERS: Record<string, HeaderObject> = {
  ETag: text('The entity tag of the response, for `If-None-Match` and `If-Match`.'),
  Location: text('The path of the record, or of the operation in progress.'),
  'Retry-After': count('Seconds to wait before the next try.'),
  'RateLimit-Limit': count('Requests that one caller may send in a minute.'),
  'RateLimit-Remaining': count('Requests that are left in this minute.'),
  'RateLimit-Reset': count('Seconds until the count is reset.'),
  'RateLimit-Policy': text('The limit and its window in seconds, such as `300;w=60`.'),
  'WWW-Authenticate': text('The scheme of authentication: `Bearer`.'),
  'Content-Disposition': text('The name under which the file is saved.'),
  'Idempotency-Replayed': text('`true` when the response is the stored one of an earlier call with the same key.'),
};

export type HeaderName = keyof typeof HEADERS;

export const RATE_LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy'];

export const headerRefs = (names: readonly string[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const errorRef = (status: ErrorStatus): { $ref: string } => ({
  $ref: `#/components/responses/${ERRORS[status][0]}`,
});

/** Descriptions of path parameters, by name. */
export const PATH_PARAMETERS: Record<string, string> = {
  id: 'The id of the record.',
  freezeId: 'The id of the freeze window.',
  plan_id: 'The id of the plan.',
  policyId: 'The id of the policy.',
  webhookId: 'The id of the webhook.',
  deliveryId: 'The id of the delivery.',
  orgId: 'The id of the organization.',
  userId: 'The id of the user.',
  teamId: 'The id of the team.',
  accountId: 'The id of the service account.',
  token: 'The token of the invitation, from its link.',
  environmentID: 'The id of the environment.',
  envID: 'The id of the environment.',
  connectionID: 'The id of the connection.',
  designID: 'The id of the design.',
  number: 'The number of the version, from 1.',
  category: 'The name of the category, or its slug.',
  model: 'The name of the model.',
  name: 'The kind of the component.',
  resourceName: 'The kind of the resource.',
  entityType: 'The type of the entity, in the singular or the plural.',
  uid: 'The uid of the dashboard in Grafana.',
};

export const NOT_MODIFIED = { $ref: '#/components/responses/NotModified' };

export const IDEMPOTENCY_KEY = { $ref: '#/components/parameters/IdempotencyKey' };
export const ORGANIZATION_IN_QUERY = { $ref: '#/components/parameters/OrganizationInQuery' };
export const IF_NONE_MATCH = { $ref: '#/components/parameters/IfNoneMatch' };

const HEADERS_BY_ERROR: Partial<Record<ErrorStatus, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: [...RATE_LIMIT_HEADERS, 'Retry-After'],
  503: ['Retry-After'],
};

function errorResponse(status: ErrorStatus): ResponseObject {
  const headers = HEADERS_BY_ERROR[status];
  return {
    description: ERRORS[status][1],
    ...(headers ? { headers: headerRefs(headers) } : {}),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

/** Components that operations reference: the problem document, error responses, and shared headers and parameters. */
export const SHARED_COMPONENTS = {
  schemas: { ErrorCode: ERROR_CODE_SCHEMA, Problem: PROBLEM_SCHEMA },
  headers: HEADERS,
  responses: {
    ...Object.fromEntries(
      (Object.keys(ERRORS).map(Number) as ErrorStatus[]).map((status) => [ERRORS[status][0], errorResponse(status)]),
    ),
    NotModified: {
      description: 'The caller has this response already: `If-None-Match` contains its ETag.',
      headers: headerRefs(['ETag']),
    },
  },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'Makes repeating the call safe: for 24 hours the same key and body get the first response again.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
    OrganizationInQuery: {
      name: 'orgID',
      in: 'query',
      required: false,
      description: 'The same as `organization_id` of the body, for a body that has none.',
      schema: { type: 'string', format: 'uuid' },
    },
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'The ETag of an earlier response; 304 when nothing has changed.',
      schema: { type: 'string' },
    },
  },
} satisfies Components;
