import type { FirstAdministrator } from './first-start.js';

/** What the first start prints for the person who will sign in: shown once, on standard output, never in the log. */
export function welcome(baseUrl: string, admin: FirstAdministrator): string {
  const password = admin.generatedPassword ?? '(the one in ADMIN_PASSWORD)';
  return `
Armature is ready at ${baseUrl}

  Sign in as  ${admin.email}
  Password    ${password}${admin.generatedPassword ? '   (shown only now)' : ''}

  A token for the next hour, and three calls to paste:

  export TOKEN=${admin.token}

  curl -s ${baseUrl}/api/identity/orgs -H "Authorization: Bearer $TOKEN"

  curl -s ${baseUrl}/api/environments -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"name":"staging","organization_id":"${admin.organizationId}"}'

  curl -s ${baseUrl}/api/system/graphql/query -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"query":"{ environments(orgID: \\"${admin.organizationId}\\") { total_count environments { id name status } } }"}'

  Reference: ${baseUrl}/api/docs    GraphQL playground: ${baseUrl}/api/system/graphql/playground
`;
}
