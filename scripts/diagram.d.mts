/** The document with the diagram as it follows from the imports of today. */
export function drawIntoDocument(text?: string): string;
