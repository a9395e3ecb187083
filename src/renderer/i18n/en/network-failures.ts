/** Words for what goes wrong on the way to a service, at it, and in getting its token. */
export const networkFailures = {
  net: {
    refused: {
      title: 'Nobody answers at this address',
      explanation: '{{host}} exists, but nothing accepts connections there.',
      remedy: 'Check the address and its port, or start what should be running there.',
    },
    hostNotFound: {
      title: 'The host cannot be found',
      explanation: '{{host}} is not known. The name is misspelt, or this computer is offline.',
      remedy: 'Check the connection and the spelling of the address.',
    },
    timeout: {
      title: 'No answer in time',
      explanation: '{{host}} did not answer in time. It may be busy, or a firewall swallows the request.',
      remedy: 'Try again. If it stays, check the address and the network.',
    },
    tls: {
      title: 'The connection is not trusted',
      explanation:
        'The certificate of {{host}} could not be verified, so no key was sent. A wrong clock, a company proxy or a wrong address can cause this.',
      remedy: 'Check the address and this computer’s clock, or ask your network’s administrator for its certificate.',
    },
    cut: {
      title: 'The connection broke off',
      explanation: '{{host}} began to answer and then stopped in the middle.',
      remedy: 'Try again.',
    },
    other: {
      title: 'The network failed',
      explanation: 'The request did not get through to {{host}}.',
      remedy: 'Check the network and try again.',
    },
    tooLong: {
      title: 'The response is too long',
      explanation: '{{host}} sent more than the app reads of one response, so reading was stopped.',
      remedy: 'Ask for less, or check what answers at this address.',
    },
    cancelled: {
      title: 'The request was cancelled',
      explanation: 'It was stopped before {{host}} had answered in full.',
      remedy: 'Start it again when you need it.',
    },
    proxy: {
      title: 'The proxy did not let the request through',
      explanation:
        'The proxy between this computer and {{host}} cannot be reached, refused the connection, or is of a kind the app cannot use.',
      remedy: 'Check the proxy settings of this computer, and its user name and password if it needs them.',
    },
  },
  api: {
    notConfigured: {
      title: 'This part of the connection is not set up',
      explanation: 'The connection has no address, or no token or key, for this service of the platform.',
      remedy: 'Add what is missing to the connection.',
    },
    badRequest: {
      title: 'The platform did not accept the request',
      explanation: '{{host}} understood who was asking, but not what was asked.',
      remedy: 'Check what was entered. The details below hold what the platform said.',
    },
    unauthorized: {
      title: 'The platform did not accept the token',
      explanation: '{{host}} refused the token or key, and a fresh one did not help.',
      remedy: 'Check the token source or the key of this connection.',
    },
    forbidden: {
      title: 'The platform does not allow this',
      explanation: 'The account of this connection lacks the right to do this at {{host}}.',
      remedy: 'Ask an administrator of the account for the right, or use another connection.',
    },
    notFound: {
      title: 'The platform does not have this',
      explanation: '{{host}} knows nothing under this name: it was deleted, or the address of the service is wrong.',
      remedy: 'Look at the list again. If everything is missing, check the address of the service.',
    },
    conflict: {
      title: 'The platform’s present state does not allow this',
      explanation:
        'What {{host}} holds now speaks against it: the name is taken, something still depends on it, or a limit is reached.',
      remedy: 'Look at the current state, put right what the details name, then try again.',
    },
    rateLimited: {
      title: 'The platform asks to slow down',
      explanation: '{{host}} received too many requests in a short time. Nothing is wrong with the connection.',
      remedy: 'Try again {{wait}}.',
    },
    serverError: {
      title: 'The platform failed',
      explanation: '{{host}} reported a fault of its own. What was asked may well be right.',
      remedy: 'Try again in a moment. If it stays, tell whoever runs the platform and give them the request ID.',
    },
    unreadable: {
      title: 'The platform’s answer cannot be read',
      explanation:
        'What came from {{host}} is not an answer of this service: it may be a sign-in page, a redirect, or something too large.',
      remedy: 'Compare the address of the service with the one that the platform names.',
    },
    listTooLong: {
      title: 'The list cannot be read to its end',
      explanation: '{{host}} sent more rows than the app reads from one list, or repeated its pages.',
      remedy: 'Try again. If the problem continues, contact the operator of the platform.',
    },
  },
  auth: {
    rejected: {
      title: 'The credentials were refused',
      explanation: 'The place that hands out tokens did not accept the client ID and its secret.',
      remedy: 'Check the client ID and the scope, and enter the secret again.',
    },
    tokenSource: {
      title: 'No token could be obtained',
      explanation: 'The token source of the connection failed, or what it gave is not a token.',
      remedy: 'Check the token source of the connection, and try it on its own.',
    },
    tokenNeeded: {
      title: 'A new token is needed',
      explanation:
        'The pasted token is missing, or the platform no longer accepts it: such tokens live a short time only.',
      remedy: 'Get a new token and paste it.',
    },
    commandNotAllowed: {
      title: 'The program is not allowed',
      explanation: 'This connection runs a program for its tokens, and you have not allowed that program.',
      remedy: 'Test the connection to be asked again.',
    },
  },
}
