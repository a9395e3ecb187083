/** Words of the dialog with texts to paste elsewhere. */
export const snippets = {
  title: 'Copy as text',
  text: 'The same configuration for another computer, a container or a CI job. The key is never in it: a variable or a blank stands for it.',
  none: 'This tool cannot be configured by a text.',
  into: 'Into',
  copy: 'Copy this text',
  kinds: {
    file: 'File',
    shell: 'Shell',
    powershell: 'PowerShell',
    devcontainer: 'Dev container',
    ci: 'CI',
  },
  where: {
    file: 'Into the tool’s settings file',
    shell: 'In a terminal, or at the end of the shell’s profile',
    powershell: 'In a PowerShell window, or in its profile',
    devcontainer: 'Into devcontainer.json',
    ci: 'Into the steps of a CI job, with the key as a secret of the CI',
  },
}
