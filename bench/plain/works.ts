import type { Request } from 'autocannon';
import type { OrganizationsScene } from './scene.js';

/** One kind of call, as it is made to the product and to the plain server. */
export interface Work {
  name: string;
  /** The least ratio of the product's calls a second to those of the plain server. */
  goal: number;
  /** A goal that takes its place: milliseconds in which 99 of 100 calls are answered. */
  p99Goal?: number;
  /** Callers at once, when they are not as many as usual. */
  callers?: number;
  ours: () => Partial<Request>;
  plain: () => Partial<Request>;
  /** What it is compared with, when that is not the plain server: NestJS on Express alone, or the product itself. */
  baseline?: 'bare' | 'product';
  asViewer?: true;
  /** Asked without a token. */
  isOpen?: true;
}

const WORDS = ['ab3', 'f00', '7cd', '19e', 'b2a', 'e77', '0fd', '5a5'];

const LIST_DOCUMENT = `query ($orgID: ID!, $page: Int!) {
  environments(orgID: $orgID, page: $page, pagesize: 20) {
    page page_size total_count
    environments {
      id name description organization_id owner status tier metadata schemaVersion created_at updated_at deleted_at
    }
  }
}`;

const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;

/** One of the pages that most callers ask for. */
const firstPages = (): number => pick([0, 1, 2, 3, 4]);

const json = (method: 'POST' | 'PUT', path: string, body: object): Partial<Request> => ({
  method,
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** The works, with the goals that the product has set itself. */
export async function listWorks(scene: OrganizationsScene, url: string, token: string): Promise<Work[]> {
  const { organization, small, admin, ids } = scene;
  const viewer = scene.viewers[10] ?? '';
  const doomed = scene.doomed.values();
  const listOf = (id: string, more = '') => `environments?orgID=${id}&pagesize=20${more}`;
  const record = (): Partial<Request> => ({ path: `/environments/${pick(ids)}` });
  const list = (id: string, more = '') => ({
    ours: () => ({ path: `/api/${listOf(id, `${more}&page=${firstPages()}`)}` }),
    plain: () => ({ path: `/${listOf(id, `${more}&page=${firstPages()}`)}` }),
  });
  const answered = async (path: string): Promise<Response> => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
    return response;
  };
  const step = (await (await answered(`/api/${listOf(organization, '&cursor=')}`)).json()) as {
    next_cursor: string;
    environments: { id: string; created_at: string }[];
  };
  const last = step.environments.at(-1);
  const known = ids[0] ?? '';
  const tag = (await answered(`/api/environments/${known}`)).headers.get('etag') ?? '';
  const api = (request: Partial<Request>): Partial<Request> => ({ ...request, path: `/api${request.path ?? ''}` });
  return [
    {
      name: 'hello, open',
      goal: 0.8,
      baseline: 'bare',
      isOpen: true,
      ours: () => ({ path: '/api/bench/open' }),
      plain: () => ({ path: '/api/bench/open' }),
    },
    {
      name: 'hello, guarded',
      goal: 0.75,
      baseline: 'bare',
      ours: () => ({ path: '/api/bench/guarded' }),
      plain: () => ({ path: '/api/bench/open' }),
    },
    {
      name: 'own profile, member of 51 organizations',
      goal: 0.25,
      ours: () => ({ path: '/api/identity/users/profile' }),
      plain: () => ({ path: `/profile?user=${admin}` }),
    },
    { name: 'record by id', goal: 0.3, ours: () => api(record()), plain: record },
    {
      name: 'record by id, not modified',
      goal: 0.3,
      ours: () => ({ path: `/api/environments/${known}`, headers: { 'if-none-match': tag } }),
      plain: () => ({ path: `/environments/${known}` }),
    },
    { name: 'list of 20 of 1,000', goal: 0.4, ...list(small) },
    { name: 'list of 20 of 100,000', goal: 0.4, ...list(organization) },
    {
      name: 'list of 20 of 100,000, beside one of 1,000',
      goal: 0.8,
      baseline: 'product',
      ours: list(organization).ours,
      plain: list(small).ours,
    },
    {
      name: 'list of 20 of 10,000 designs',
      goal: 0.4,
      ours: () => ({ path: `/api/pattern?orgID=${organization}&pagesize=20&page=${firstPages()}` }),
      plain: () => ({ path: `/designs?orgID=${organization}&pagesize=20&page=${firstPages()}` }),
    },
    { name: 'list of 20 of 100,000, plain counts', goal: 1, ...list(organization, '&count') },
    {
      name: 'list of a viewer of 10 of 100,000',
      goal: 0.3,
      asViewer: true,
      ours: () => ({ path: `/api/${listOf(organization)}` }),
      plain: () => ({ path: `/${listOf(organization, `&viewer=${viewer}`)}` }),
    },
    {
      name: 'cursor walk',
      goal: 0.4,
      ours: () => ({ path: `/api/${listOf(organization, `&cursor=${step.next_cursor}`)}` }),
      plain: () => ({ path: `/${listOf(organization, `&cursor=${last?.created_at ?? ''},${last?.id ?? ''}`)}` }),
    },
    {
      name: 'deep page, 4,000',
      goal: 0.4,
      ours: () => ({ path: `/api/${listOf(organization, '&page=4000')}` }),
      plain: () => ({ path: `/${listOf(organization, '&page=4000')}` }),
    },
    {
      name: 'deep page, 4,000, beside the first page',
      goal: 0.33,
      baseline: 'product',
      ours: () => ({ path: `/api/${listOf(organization, '&page=4000')}` }),
      plain: () => ({ path: `/api/${listOf(organization)}` }),
    },
    {
      name: 'GraphQL list of 20 of 100,000, beside REST',
      goal: 0.6,
      baseline: 'product',
      ours: () =>
        json('POST', '/api/system/graphql/query', {
          query: LIST_DOCUMENT,
          variables: { orgID: organization, page: firstPages() },
        }),
      plain: () => ({ path: `/api/${listOf(organization, `&page=${firstPages()}`)}` }),
    },
    {
      name: 'search in 100,000, 8 callers',
      goal: 0,
      p99Goal: 50,
      callers: 8,
      ours: () => ({ path: `/api/${listOf(organization, `&search=${pick(WORDS)}`)}` }),
      plain: () => ({ path: `/${listOf(organization, `&search=${pick(WORDS)}`)}` }),
    },
    {
      name: 'create, with its event',
      goal: 0.4,
      ours: () => json('POST', '/api/environments', { name: 'made', organization_id: organization }),
      plain: () => json('POST', `/environments?user=${admin}`, { name: 'made', organization_id: organization }),
    },
    {
      name: 'update, with its event',
      goal: 0.4,
      ours: () => json('PUT', `/api/environments/${pick(ids)}`, { description: `changed ${Math.random()}` }),
      plain: () => json('PUT', `/environments/${pick(ids)}?user=${admin}`, { description: `changed ${Math.random()}` }),
    },
    {
      name: 'delete, with its event',
      goal: 0.4,
      ours: () => ({ method: 'DELETE', path: `/api/environments/${doomed.next().value ?? ''}` }),
      plain: () => ({ method: 'DELETE', path: `/environments/${doomed.next().value ?? ''}?user=${admin}` }),
    },
  ];
}
