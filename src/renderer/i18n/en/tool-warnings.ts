/** What to know before something is written, by the warning's code, and what can be done about it. */
export const toolWarnings = {
  title: 'Good to know',
  plainText: 'The key will stand in {{subject}} in plain text.',
  toolWritesKey:
    '{{tool}} itself writes the key into {{subject}} in plain text once settings are changed in its own window.',
  keyFile: 'The key is kept in {{subject}}, which only you can read (0600).',
  envFileHoldsKey: 'The key is kept in {{subject}}, the tool’s own file of variables, which only you can read (0600).',
  variableNeeded:
    '{{tool}} needs {{subject}} where it is started. Put this line into the profile of your shell, or enter it in the terminal.',
  keyInTool: 'The key is written nowhere: copy it here and paste it where {{tool}} asks for it in its own settings.',
  commentsMoved: 'The comments go: the file with them stays beside it as {{subject}}.',
  otherProviderSwitch:
    '{{subject}} sends the tool to another provider. While it is set, this configuration has no effect.',
  overridesExisting: 'The present value of {{subject}} is replaced; Undo brings it back.',
  modelSetting:
    'The tool has a model setting of its own ({{subject}}). The model chosen here goes before it in new sessions.',
  modelRefused: '{{tool}} does not take {{subject}} from a gateway. Choose another model code.',
  shellVariable: 'The variable {{subject}} is set and wins over what is written here.',
  rivalFile: 'The setting {{subject}} in another file wins over what is written here.',
  restartNeeded: 'A running {{tool}} sees the change after a restart.',
  fileChangedSince: '{{subject}} was changed since it was configured. Those changes stay.',
  fileReplaced:
    '{{subject}} belongs to another user. A new file of yours takes its place: its owner, hard links and extended attributes are lost.',
  notTried: 'This was not yet tried with the real {{tool}}: it follows the tool’s documentation. Verify it afterwards.',
  remoteMaker:
    'Requests come from the servers of the maker of {{tool}}, which cannot reach {{subject}}: it is an address of this computer.',
  relayNeeded: 'The relay is off. It starts with this change and stays on from then on: {{tool}} needs it.',
  origins: {
    app: 'It is set where this app was started.',
    loginShell: 'Your login shell sets it.',
    project: 'It belongs to a project.',
    managed: 'It is managed by your organization.',
    user: 'It is your own.',
    settings: 'It is in the tool’s settings.',
  },
  subjects: {
    settings: 'the settings file',
    keyFile: 'a file of its own',
    copy: 'a copy',
    variable: 'a variable',
    model: 'this model',
    address: 'this address',
  },
}

/** The buttons of warnings. */
export const warningFixes = {
  copyLine: 'Copy the line',
  openFile: 'Open the file',
  takeOut: 'Take it out',
  takenOut: 'Will be taken out:',
  leaveIn: 'Leave {{setting}} in',
  copyKey: 'Copy the key',
}
