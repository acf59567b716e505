/** The schema of a problem document in the served OpenAPI. */
export const PROBLEM_SCHEMA = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'error', 'errors', 'remedy', 'request_id'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'Where the code is explained, relative to the server.',
    },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', description: 'A stable name of the failure, for programs.' },
    error: { type: 'string', description: 'The same as detail.' },
    errors: {
      type: 'array',
      description: 'Every fault of the request at once.',
      items: {
        type: 'object',
        required: ['detail'],
        properties: {
          pointer: { type: 'string' },
          detail: { type: 'string' },
          remedy: { type: 'string' },
          file: { type: 'string' },
          line: { type: 'integer' },
          column: { type: 'integer' },
        },
      },
    },
    remedy: { type: 'string', description: 'What the caller can do.' },
    request_id: { type: 'string' },
  },
};
