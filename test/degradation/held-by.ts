// Which test holds each row of docs/degradation.md: its subject, a file and a title, in the order of the document.
const SYSTEM = 'test/degradation/degradation.long.test.ts'

/** One row a line, its parts apart by a bar. The file is `SYSTEM` where a row has two parts. */
const read = (lines: string): [subject: string, file: string, title: string][] =>
  lines
    .trim()
    .split('\n')
    .map(line => line.trim().split(' | '))
    .map(parts => (parts.length === 2 ? [parts[0]!, SYSTEM, parts[1]!] : [parts[0]!, parts[1]!, parts[2]!]))

export const HELD_BY = {
  Redis: read(`
    ingest | without Redis ingest stores, acknowledges, and tells later
    api | without Redis the api answers all but sign-in
    realtime | without Redis sockets stay, and subscribing is UNAVAILABLE
    webhook-worker | without Redis deliveries wait in Postgres
    ops | without Redis ops shows its pages
    all | services/realtime/test/seats.long.test.ts | after a flush of Redis only renewals are admitted for one lease time; payments go on
    webhook-worker | services/webhook-worker/test/crash.long.test.ts | what was never enqueued, or was flushed with Redis, is found by the sweeper
    all | with a full Redis payments are stored, nobody is seated and deliveries wait
  `),
  NATS: read(`
    ingest | without NATS ingest waits
    api | without NATS the api does not notice
    realtime | without NATS sockets do not notice
    webhook-worker | without NATS webhooks go out
    ops | without NATS ops shows its pages and replays nothing
    ingest | test/servers/nats-cluster.night.test.ts | nothing is lost or doubled, and the lease moves only when its holder dies
    ingest | test/chaos/chaos.long.test.ts | nothing is lost, doubled or misdirected while everything is broken
    ingest | packages/bus/test/bus.test.ts | a stream that is deleted and made again is read anew
  `),
  Postgres: read(`
    ingest | without Postgres ingest acknowledges nothing
    api | without Postgres the api answers 503
    api | services/api/test/replicas.long.test.ts | reads go on while the primary is away, and after it lost commits none tells of them
    realtime | without Postgres sockets stay, and subscribing is UNAVAILABLE
    webhook-worker | without Postgres no webhook is sent
    ops | without Postgres ops answers 503 but for the queue
    all | with a full disk of Postgres reads go on, and writes wait or are 503
    api | services/api/test/outages.long.test.ts | a question that takes too long is told which filter to add
  `),
  'One process of several': read(`
    ingest | test/chaos/chaos.long.test.ts | nothing is lost, doubled or misdirected while everything is broken
    api | infra/stack/test/edge.test.ts | a process that just died answers 503 at once, and hangs nobody
    realtime | services/realtime/test/seats.long.test.ts | seats of a killed pod come back; a paused pod sends nothing once others sit there
    webhook-worker | services/webhook-worker/test/crash.long.test.ts | a worker killed in mid-request loses nothing: another one sends again
    ops | test/chaos/chaos.long.test.ts | nothing is lost, doubled or misdirected while everything is broken
    console | infra/stack/test/edge.test.ts | without the console its pages are 503 in the one shape, and the API answers as before
    api, realtime | infra/stack/test/edge.test.ts | while no process is ready the answer is 503 in the one shape of errors
  `),
}

/** What an endpoint may do, and the test that no other one notices: a file and a title. */
export const ENDPOINTS_HELD_BY = read(`
  endpoint | services/webhook-worker/test/delivery.test.ts | sends 4 requests to a failing endpoint, backed off, with the same bytes and id
  endpoint | services/webhook-worker/test/isolation.long.test.ts | with hanging and refusing endpoints beside them, healthy ones get theirs at once
  endpoint | services/webhook-worker/test/endpoints/endpoint-limiter.test.ts | an endpoint that is silent is deferred until its cool-down ends, then probed by one
  endpoint | services/webhook-worker/test/delivery.test.ts | heeds Retry-After, and a recovered endpoint is delivered by a retry
  endpoint | services/webhook-worker/test/delivery.test.ts | deactivates on 410: the delivery fails at once, the others are cancelled
  endpoint | services/webhook-worker/test/maintenance.long.test.ts | five days of nothing but failures deactivate it, and cancel what is open
`).map(([, file, title]) => [file, title] as const)
