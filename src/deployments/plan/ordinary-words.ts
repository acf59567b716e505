/**
 * Words of six or more letters that messages of clusters have of their own. A secret value that is one of them is hidden only where a
 * message shows a value.
 */
const WORDS = `
  accept access account action active actual address admission affinity allowed already alphanumeric annotation annotations another
  apiversion applied argument arguments array attempt authentication authorization automatic available backend background backoff
  balancer because before behind between binding boolean broker bucket builtin cannot capacity certificate change changed character
  characters claims client closed cluster clusterrole command completed condition conditions config configmap configuration conflict
  connect connected connection consist contain container containers contains content context controller create created creating
  credential credentials cronjob current custom daemonset database deadline decode default defaults define defined degraded delete
  deleted deleting denied dependency deployment deployments deprecated desired destination development directory disabled disallowed
  domain driver duplicate during dynamic either enabled encode encoded encoding endpoint endpoints endpointslice engine ensure entries
  environment errors exactly example exceed exceeded exceeds existing exists exited expected expired explicit expose external failed
  failure field fields filesystem filter finalizer finalizers finished following forbidden foreground format function gateway generation
  generic global greater handler header headers healthy history horizontal hostname hostpath however identifier ignored immutable
  incoming ingress initial install installed instance insufficient integer interface internal interval invalid kubelet kubernetes label
  labels latest leader length lifecycle limits listener listening liveness loadbalancer localhost location longer lowercase manager
  managed manifest matches matching maximum memory message metadata metrics migration minimum missing modified monitoring mounted
  mounts multiple namespace namespaces negative network networks nobody notfound number object objects observed occupied offline
  operation operator option optional options origin output overlay override owner parameter parameters parent parsing partition password
  pattern pending permission permissions persistent persistentvolumeclaim platform policies policy positive postgres precondition
  preference prefix present previous primary private privileged probe process processing production progress progressing project
  promotion protocol provide provided provider provision provisioner public publish pulling quantity queue quota readiness reason
  received reconcile redirect reference refused regex registry region release released remote removed repeated replica replicas
  replicaset replication repository request requested requests require required requires reserved reset resolve resource resources
  response restart restarted restarting restore result retained retention return revision rollback rolling rollout router running
  runtime scaled schedule scheduled scheduler scheduling schema secondary secret secrets section security select selected selector
  sequence server servers service serviceaccount services session setting settings shared should signal simple single source special
  specified specify staging standard start started starting startup stateful statefulset static status stopped storage storageclass
  strategy string structure subject subnet success succeeded suffix support supported suspended syntax system target template templates
  temporary terminated terminating testing timeout together token tokens tolerations topology traffic transport trigger unable unavailable
  unauthorized unchanged undefined unhealthy unique unknown unready unschedulable unsupported update updated updates uppercase usable
  username validate validating validation values variable variables verify version versions virtual volume volumes waiting warning
  webhook webhooks whether without worker workload workloads writable
`;

const ORDINARY_WORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

export const isOrdinaryWord = (text: string): boolean => ORDINARY_WORDS.has(text.toLowerCase());
