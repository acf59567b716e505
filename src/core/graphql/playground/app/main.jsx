import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import 'graphiql/style.css';
import { createClient } from 'graphql-ws';
import { createRoot } from 'react-dom/client';
import './playground.css';

// The build replaces WORKERS by the names of the bundled workers in the folder of this module.
globalThis.MonacoEnvironment = {
  getWorker: (_id, label) => new Worker(new URL(WORKERS[label] ?? WORKERS.editor, import.meta.url), { type: 'module' }),
};

const url = new URL('../query', import.meta.url).href;

// Each operation has its own client, which connects with the headers of its tab and does not retry with a token
// that was rejected (4403).
const fetcher = (parameters, options) => {
  const wsClient = createClient({
    url: url.replace(/^http/, 'ws'),
    connectionParams: options?.headers,
    shouldRetry: ({ code }) => code !== 4403,
  });
  return createGraphiQLFetcher({ url, wsClient })(parameters, options);
};

const HEADERS = `{
  "Authorization": "Bearer <paste an access token here>"
}
`;

const QUERY = `# 1. Sign in with POST /api/auth/login.
# 2. Paste the access token into "Headers" below.
# 3. Press "Re-fetch GraphQL schema" on the left.

query Patterns {
  fetchPatterns(selector: { page: "0", pageSize: "10" }) {
    page
    page_size
    total_count
    patterns {
      id
      name
      visibility
      updated_at
    }
  }
}

subscription Events {
  subscribeEvents {
    id
    severity
    category
    action
    description
    createdAt
  }
}
`;

createRoot(document.getElementById('playground')).render(
  <GraphiQL fetcher={fetcher} defaultEditorToolsVisibility="headers" defaultHeaders={HEADERS} defaultQuery={QUERY} />,
);
