/** Words of the first screen, and of the three ways in wherever they are offered. */
export const welcome = {
  title: 'Welcome',
  headline: 'Point your coding tools at your token plan',
  lead: 'Platform Companion writes the right gateway address and key into each tool, shows every change before it is made, and takes it back to the byte.',
  ways: {
    label: 'How to begin',
    sandbox: {
      title: 'Explore with the sandbox',
      text: 'A gateway that runs on this computer, with a plan and a key of its own. Nothing to buy, nothing to break.',
      action: 'Start the sandbox',
      busy: 'Starting the sandbox…',
    },
    key: {
      title: 'I was handed a key',
      text: 'You have a gateway address and a subscription key. A live check tells you at once whether they work.',
      action: 'Add a plan',
    },
    platform: {
      title: 'Connect a platform',
      text: 'Keep the addresses of your platform’s services in one place, put right as you enter them.',
      action: 'Add addresses',
    },
  },
  sandboxReady: 'The sandbox is running',
  sandboxReadyText: 'Its plan is ready. Choose a tool to configure.',
  keys: 'Keys stay in your system’s keychain.',
  privacy: 'Nothing leaves this computer but the requests you make.',
  skip: 'Skip for now',
  noKeychain: 'No keychain was found: keys are kept only until you quit',
  recheck: 'Look again',
}
