import { type DocumentNode, type GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { PARSE_OPTIONS } from '../limits/document-limits.js';

const MAX_DOCUMENTS = 500;
/** Longer documents are not cached, so that the cache stays small. */
const MAX_LENGTH = 5_000;

/** Caches parsed and valid documents by their text; evicts the oldest entry first. */
export class DocumentCache {
  private readonly documents = new Map<string, DocumentNode>();

  /** Returns the document, or its validation errors. @throws GraphQLError on a syntax error */
  read(schema: GraphQLSchema, text: string): DocumentNode | readonly GraphQLError[] {
    const kept = this.documents.get(text);
    if (kept) return kept;
    const document = parse(text, PARSE_OPTIONS);
    const errors = validate(schema, document);
    if (errors.length > 0) return errors;
    if (text.length <= MAX_LENGTH) this.keep(text, document);
    return document;
  }

  private keep(text: string, document: DocumentNode): void {
    const [oldest] = this.documents.size >= MAX_DOCUMENTS ? this.documents.keys() : [];
    if (oldest !== undefined) this.documents.delete(oldest);
    this.documents.set(text, document);
  }
}
