import type { PackedContent } from './contents/packed-content.js';

/** Draws designs that are not stored. */
export abstract class DesignPictures {
  /** An SVG document; null when the design is too large for one. */
  abstract drawContent(content: PackedContent, title: string): Promise<string | null>;
}
