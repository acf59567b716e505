import { defineTask, type Task } from '../../core/workers/task.js';
import { unexpectedResponse } from '../../connections/kinds/http-server.js';
import { type Answer, isRecord, type Json, parseAnswer, writeAnswer } from '../answer.js';

const NAME = 'Grafana';
const MAX_TEXT_LENGTH = 1_000;
const MAX_TAGS = 100;

/** A dashboard in a list. */
export interface Board {
  uid: string;
  title: string;
  url: string | null;
  tags: string[];
  folderUid: string | null;
  folderTitle: string | null;
}

/** A data source of dashboards, without its URL and credentials. */
export interface Datasource {
  uid: string;
  name: string;
  type: string;
  isDefault: boolean;
}

export const boardsTask: Task<Answer, Board[]> = defineTask(import.meta.url, { readBoards });
export const boardTask: Task<Answer, Uint8Array<ArrayBuffer>> = defineTask(import.meta.url, { readBoard });
export const datasourcesTask: Task<Answer, Datasource[]> = defineTask(import.meta.url, { readDatasources });

export function readBoards(answer: Answer): Board[] {
  return records(answer).map((each) => ({
    uid: required(each, 'uid'),
    title: required(each, 'title'),
    url: textIn(each, 'url'),
    tags: tagsIn(each),
    folderUid: textIn(each, 'folderUid'),
    folderTitle: textIn(each, 'folderTitle'),
  }));
}

/** The model of a dashboard as JSON, with its version, without permissions and users of Grafana. */
export function readBoard(answer: Answer): Uint8Array<ArrayBuffer> {
  const value = parseAnswer(answer, NAME);
  if (!isRecord(value) || !isRecord(value['dashboard'])) throw unexpectedResponse(NAME);
  const meta = isRecord(value['meta']) ? value['meta'] : {};
  const shown = {
    dashboard: value['dashboard'],
    meta: {
      url: textIn(meta, 'url'),
      version: typeof meta['version'] === 'number' ? meta['version'] : null,
      created: textIn(meta, 'created'),
      updated: textIn(meta, 'updated'),
      folder_uid: textIn(meta, 'folderUid'),
      folder_title: textIn(meta, 'folderTitle'),
    },
  };
  return writeAnswer(shown, NAME);
}

export function readDatasources(answer: Answer): Datasource[] {
  return records(answer).map((each) => ({
    uid: required(each, 'uid'),
    name: required(each, 'name'),
    type: required(each, 'type'),
    isDefault: each['isDefault'] === true,
  }));
}

function records(answer: Answer): Json[] {
  const value = parseAnswer(answer, NAME);
  if (!Array.isArray(value) || !value.every(isRecord)) throw unexpectedResponse(NAME);
  return value.slice(0, answer.limit);
}

function required(record: Json, key: string): string {
  const text = textIn(record, key);
  if (text === null) throw unexpectedResponse(NAME);
  return text;
}

const textIn = (record: Json, key: string): string | null => {
  const text = record[key];
  return typeof text === 'string' ? text.slice(0, MAX_TEXT_LENGTH) : null;
};

const tagsIn = ({ tags }: Json): string[] =>
  Array.isArray(tags)
    ? tags
        .filter((tag) => typeof tag === 'string')
        .slice(0, MAX_TAGS)
        .map((tag) => tag.slice(0, MAX_TEXT_LENGTH))
    : [];
