/** Texts around a model's answer: code, links, lists of tasks. */
export const markdown = {
  code: 'Code',
  copyCode: 'Copy code',
  done: 'Done:',
  notDone: 'Not done:',
  openLink: 'Open this link?',
  linkFromModel: 'A model wrote this link. It leads to {{host}} and opens in your browser.',
  writeMail: 'Write this email?',
  mailFromModel: 'A model wrote this address. It opens in your mail program.',
  open: 'Open link',
  write: 'Write email',
  copyAddress: 'Copy address',
  notOpened: 'The link could not be opened. Copy the address instead.',
}
