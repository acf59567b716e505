/** What a problem (RFC 9457) says, each fault on a line. */
export function problemLines({ code, detail, remedy, errors = [], deployment, request_id }) {
  return [
    `${code}: ${detail}`,
    ...errors.map((fault) => `- ${[fault.file, fault.pointer, fault.detail].filter(Boolean).join(' ')}`),
    ...(deployment?.resources ?? []).map(
      ({ kind, name, status, error }) =>
        `- ${kind}/${name} ${status} ${error ? `${error.reason} ${error.detail}` : ''}`,
    ),
    ...(remedy ? [`Remedy: ${remedy}`] : []),
    ...(request_id ? [`request_id: ${request_id}`] : []),
  ];
}
