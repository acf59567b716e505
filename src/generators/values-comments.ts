import { truncateText } from './truncate-text.js';

/** The documentation of a key in the comments of a values file. */
export interface ValueComment {
  description: string;
  /** A type as helm-docs names it, such as `int`. */
  type?: string;
}

const COMMENT = /^\s*#(.*)$/;
const HELM_DOCS = /^\s*#\s*--\s?(.*)$/;
const TYPED_COMMENT = /^\(([\w/]+)\)\s*(.*)/;
const PARAM_COMMENT = /^\s*##?\s*@param\s+(\S+)\s+(?:\[[^\]]*\]\s*)?(.*)/;
const MAX_BLOCK_LINES = 50;
const MAX_DESCRIPTION_LENGTH = 2000;

/** Comments in the formats of helm-docs (`# -- text` above a key) and of Bitnami's readme generator (`## @param path text` anywhere). */
export class ValuesComments {
  private readonly params = new Map<string, string>();

  constructor(private readonly lines: readonly string[]) {
    for (const line of lines) {
      const [, path = '', description = ''] = PARAM_COMMENT.exec(line) ?? [];
      if (description !== '') this.params.set(path, truncateText(description, MAX_DESCRIPTION_LENGTH));
    }
  }

  /** @param line of the key, from 1; @param path of the key, joined by dots */
  find(line: number, path: string): ValueComment | undefined {
    const named = this.params.get(path);
    return named === undefined ? this.findAbove(line) : { description: named };
  }

  /** The last `# --` in the comments directly above a key, with its continuation lines. */
  private findAbove(line: number): ValueComment | undefined {
    let first = line - 1;
    while (first > 0 && line - first < MAX_BLOCK_LINES && COMMENT.test(this.lines[first - 1] ?? '')) {
      first -= 1;
      if (HELM_DOCS.test(this.lines[first] ?? '')) return this.parseBlock(first, line - 1);
    }
    return undefined;
  }

  /** @param start index of the first line @param end index after the last line */
  private parseBlock(start: number, end: number): ValueComment {
    const texts = this.lines
      .slice(start, end)
      .map((line) => (HELM_DOCS.exec(line) ?? COMMENT.exec(line))?.[1]?.trim() ?? '');
    const prose = texts
      .filter((text) => !text.startsWith('@'))
      .join(' ')
      .trim();
    const [, type, typed] = TYPED_COMMENT.exec(prose) ?? [];
    const description = truncateText(typed ?? prose, MAX_DESCRIPTION_LENGTH);
    return type === undefined ? { description } : { description, type };
  }
}
