/** Words of the three-way view of what changed since. */
export const toolDrift = {
  title: 'These settings changed since they were written',
  text: 'Something other than this app changed them. The tool may go elsewhere, or nowhere.',
  list: 'Changed settings',
  compare: 'Theirs or ours',
  compareHint: 'Something other than this app changed these settings. Choose for each what it should be.',
  columns: {
    written: 'Written by us',
    found: 'In the file now',
    wanted: 'The plan wants',
    choice: 'What to do',
  },
  roles: { address: 'Address', credential: 'Key' },
  choiceFor: 'What to do with {{setting}}',
  keepTheirs: 'Keep theirs',
  putBack: 'Put ours back',
  update: 'Update',
  keepAll: 'Keep all theirs',
  putAllBack: 'Put all ours back',
  merge: 'Apply the merge',
  pair: 'Address and key belong together: whoever keeps one keeps both, so that a key never goes to an address it is not for.',
  notThere: 'not there',
  asWritten: 'as written',
  letGo: 'All of it stays as it is now. The app forgets that it set {{tool}} up, and Undo is no longer offered here.',
  letBe: 'Leave the files as they are',
  letBeOutcome: 'No file is written.',
  letGone: 'The files of {{tool}} stay as they are',
  nothing: 'Everything is as written again',
}

/** Words of a tool that a person sets up in its own window. */
export const toolGuide = {
  why: '{{tool}} keeps these settings where no other program can write them. Paste them in yourself; it takes a minute.',
  title: 'How to set it up',
  open: 'In {{tool}}, go to',
  enter: 'Enter these values',
  fields: 'Values to enter',
  field: 'Field',
  value: 'Value',
  copy: 'Copy',
  copyField: 'Copy {{field}}',
  save: 'Save; its requests then go to',
  checkTitle: 'Check the values',
  checkHint:
    'One small request with these very values, sent from this computer. It costs a few tokens and does not ask {{tool}} itself.',
  check: 'Check',
}

/** Why a tool cannot be set up, and what will make it possible. */
export const toolUnsupported = {
  platform: {
    short: 'It is not there for this system.',
    title: '{{tool}} is not there for this system',
    text: '{{tool}} keeps these settings on other systems only, so there is nothing to write here.',
    later: 'Install the app on a computer where {{tool}} runs to set it up there.',
  },
}
