import tls from 'node:tls';

/** Has TLS clients of this thread trust an authority as well. @returns what undoes it */
export function trust(authority: string): () => void {
  const { createSecureContext } = tls;
  tls.createSecureContext = (options) => {
    const made = createSecureContext(options);
    (made.context as { addCACert(cert: string): void }).addCACert(authority);
    return made;
  };
  return () => (tls.createSecureContext = createSecureContext);
}
