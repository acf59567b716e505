/** Text in which Kubernetes would expand `$(NAME)`, so that it stays as it is. */
export function escapeVariableReferences(text: string): string {
  return text.replace(/\$(?=[$(])/g, '$$$$');
}
