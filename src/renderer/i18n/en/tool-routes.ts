/** Words of the way that a tool's requests go: straight to the plan, or through the relay. */
export const toolRoute = {
  label: 'Which way requests go',
  term: 'Way',
  ways: {
    gateway: 'Directly to the plan',
    relay: 'Through this machine’s relay',
  },
  hints: {
    gateway: 'To the plan’s gateway, with the plan’s key. Nothing else has to run.',
    relay:
      'To a local address first, where the relay adds the key and counts. Another plan or key then works at once, with no file touched; the relay has to run.',
  },
  short: 'through the relay',
  token:
    'Through the relay, the tool gets a token of its own in place of the key. It opens nothing but the relay on this machine.',
  inForce: 'It adds the key and counts. Plan and key can be changed there with no file touched.',
  setsWay: 'The relay will use {{plan}} for {{tool}}, from its next request on',
  onlyWay: 'Only the relay’s plan or key',
  mixed: 'They go different ways now, and stay so unless you choose.',
  bound: 'No choice for: {{tools}}.',
}

/** Words for a tool whose relay does not run. */
export const toolRelayOff = {
  title: 'The relay is off, so {{tool}} gets no answer',
  text: '{{tool}} goes through this machine’s relay. Start it, or point {{tool}} straight at its plan.',
  start: 'Start the relay',
  direct: 'Point it at its plan…',
  toRelay: 'Open the relay',
}
