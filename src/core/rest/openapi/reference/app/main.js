/*! The page shows Scalar API Reference, MIT licensed: https://github.com/scalar/scalar/blob/main/LICENSE */
import '@scalar/api-reference/browser/standalone.js';
import './reference.css';

globalThis.Scalar.createApiReference('#reference', {
  url: new URL('../openapi.json', import.meta.url).href,
  // The server of this page, with the host and path in the browser's address.
  servers: [{ url: new URL('../..', import.meta.url).href.replace(/\/$/, '') }],
  hideModels: true,
  orderSchemaPropertiesBy: 'preserve',
  // Links contain the operation id: #tag/designs/importDesign.
  generateOperationSlug: ({ operationId, method, path }) => operationId ?? `${method}${path}`,
  // No requests to other servers; tokens are discarded when the page is closed.
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
