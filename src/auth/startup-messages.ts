import type { FirstAdministrator } from './first-start.service.js';

/** Reports as a JSON line that the server is ready. */
export function readyLogLine(baseUrl: string): string {
  return `${JSON.stringify({ level: 'info', time: new Date().toISOString(), url: baseUrl, msg: 'ready' })}\n`;
}

/** The welcome as a JSON log line. It contains no token, because log stores keep lines longer than a token should exist. */
export function welcomeLogLine(baseUrl: string, { email, generatedPassword }: FirstAdministrator): string {
  const facts = {
    level: 'info',
    time: new Date().toISOString(),
    url: baseUrl,
    email,
    ...(generatedPassword ? { password: generatedPassword } : {}),
    msg: generatedPassword
      ? 'the first administrator was created; change the password after signing in, since it is not shown again'
      : 'the first administrator was created with the password from ADMIN_PASSWORD',
  };
  return `${JSON.stringify(facts)}\n`;
}

/** The welcome of the first start for the administrator: printed once on standard output, never to the log. */
export function welcomeMessage(baseUrl: string, admin: FirstAdministrator): string {
  const password = admin.generatedPassword ?? '(the one in ADMIN_PASSWORD)';
  return `
Armature is ready at ${baseUrl}

  Sign in as  ${admin.email}
  Password    ${password}${admin.generatedPassword ? '   (shown only now)' : ''}

  A token for the next hour, and three calls to paste:

  export TOKEN=${admin.token}

  curl -sS -w '\\n' ${baseUrl}/api/identity/orgs -H "Authorization: Bearer $TOKEN"

  curl -sS -w '\\n' ${baseUrl}/api/environments -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"name":"sandbox","organization_id":"${admin.organizationId}"}'

  curl -sS -w '\\n' ${baseUrl}/api/system/graphql/query -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"query":"{ environments(orgID: \\"${admin.organizationId}\\") { total_count environments { id name status } } }"}'

  Reference: ${baseUrl}/api/docs    GraphQL playground: ${baseUrl}/api/system/graphql/playground
  Command line: curl -fsSO ${baseUrl}/download/armature && chmod +x armature && ./armature login ${baseUrl}
`;
}
