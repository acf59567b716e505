import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { paginateItems } from '../../core/listing/paginate-items.js';
import { SerializedJson } from '../../core/rest/serialized-json.js';
import { MonitoringClient, type MonitoringServer } from '../monitoring-client.js';
import { explainGrafanaError } from './explain-grafana-error.js';
import { type Board, boardsTask, boardTask, type Datasource, datasourcesTask } from './grafana-answers.js';

export const GRAFANA: MonitoringServer = { kind: 'grafana', name: 'Grafana', explain: explainGrafanaError };

/** The maximum page size of Grafana. */
const MAX_BOARDS = 5_000;
const MAX_DATASOURCES = 5_000;
/** The form of uids in Grafana. */
const UID = /^[A-Za-z0-9_-]{1,40}$/;

/** Reads dashboards of Grafana through its HTTP API (https://grafana.com/docs/grafana/latest/developers/http_api/). */
@Injectable()
export class GrafanaService {
  constructor(private readonly client: MonitoringClient) {}

  async listBoards(actor: Actor, id: string, query: ListQuery): Promise<Page<Board>> {
    const parameters = new URLSearchParams({ type: 'dash-db', limit: String(MAX_BOARDS) });
    const request = { path: '/api/search', parameters, task: boardsTask, limit: MAX_BOARDS };
    const boards = await this.client.get(actor, id, GRAFANA, request);
    return paginateItems(boards, { name: 'title', getKey: ({ title, uid }) => `${title} ${uid}` }, query);
  }

  /** @throws InvalidRequest for an invalid uid, NotFound when Grafana has no such dashboard */
  async getBoard(actor: Actor, id: string, uid: string): Promise<SerializedJson> {
    if (!UID.test(uid))
      throw InvalidRequest.forField(
        'uid',
        'must have 1 to 40 letters, digits, "-" and "_"',
        'Send the uid as the list of boards shows it.',
      );
    const path = `/api/dashboards/uid/${encodeURIComponent(uid)}`;
    const server: MonitoringServer = {
      ...GRAFANA,
      explain: (response, redact) =>
        response.status === 404 ? new NotFound('board', uid) : explainGrafanaError(response, redact),
    };
    return SerializedJson.fromBytes(await this.client.get(actor, id, server, { path, task: boardTask }));
  }

  async listDatasources(actor: Actor, id: string, query: ListQuery): Promise<Page<Datasource>> {
    const request = { path: '/api/datasources', task: datasourcesTask, limit: MAX_DATASOURCES };
    const sources = await this.client.get(actor, id, GRAFANA, request);
    return paginateItems(sources, { name: 'name', getKey: ({ name, uid }) => `${name} ${uid}` }, query);
  }
}
