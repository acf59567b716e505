import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import 'graphiql/style.css';
import { createRoot } from 'react-dom/client';
import './playground.css';

// The build replaces WORKERS by the names of the bundled workers, which lie beside this module.
globalThis.MonacoEnvironment = {
  getWorker: (_id, label) => new Worker(new URL(WORKERS[label] ?? WORKERS.editor, import.meta.url), { type: 'module' }),
};

const endpoint = new URL('../query', import.meta.url);
const fetcher = createGraphiQLFetcher({
  url: endpoint.href,
  // With a URL instead of a client each subscription opens its own socket with the headers of its tab.
  subscriptionUrl: endpoint.href.replace(/^http/, 'ws'),
});

const HEADERS = `{
  "Authorization": "Bearer <paste an access token here>"
}
`;

const QUERY = `# Sign in with POST /api/auth/login and paste the access token into the tab "Headers" below;
# subscriptions send the same headers when they connect.

query Patterns {
  fetchPatterns(selector: { page: "0", pageSize: "10", order: "updated_at desc" }) {
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
