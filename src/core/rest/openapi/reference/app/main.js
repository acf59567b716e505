/*! The page shows Scalar API Reference, MIT licensed: https://github.com/scalar/scalar/blob/main/LICENSE */
import '@scalar/api-reference/browser/standalone.js';
import './reference.css';

globalThis.Scalar.createApiReference('#reference', {
  url: new URL('../openapi.json', import.meta.url).href,
  // The server that the page came from, by whichever name and path the browser knows it.
  servers: [{ url: new URL('../..', import.meta.url).href.replace(/\/$/, '') }],
  hideModels: true,
  orderSchemaPropertiesBy: 'preserve',
  // Links name operations by the id that generated clients use: #tag/designs/importDesign.
  generateOperationSlug: ({ operationId, method, path }) => operationId ?? `${method}${path}`,
  // Nothing is asked of other servers, and tokens are kept for as long as the page is open.
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
