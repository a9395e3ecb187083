import { joinPath } from '../../../../../src/main/core/environment'
import { getValueAt } from '../../../../../src/main/tools/editors/editor'
import type { Edit, TargetInput, WrittenTarget } from '../../../../../src/main/tools/target'
import { plainCredential, text } from '../../../../../src/main/tools/targets/shared'

/** A fictitious tool with the key in one file, and address and model in another. */
export const twoFileTarget: WrittenTarget = {
  id: 'two-files',
  name: 'Two Files',
  kind: 'written',
  standard: 'chat-completions',
  executables: ['two-files'],
  sites: ['user', 'project'],
  evidence: { kind: 'docs' },
  needsRestart: true,
  deliveries: ['helper', 'plain'],
  slots: [],
  base: (gatewayUrl) => `${gatewayUrl}/v1`,
  requestSuffix: '/chat/completions',
  variable: 'TWO_FILES_KEY',
  files: [
    { id: 'auth', format: 'jsonc', path: (env) => joinPath(env, env.home, '.two', 'auth.json'), edits: credentials },
    {
      id: 'settings',
      format: 'jsonc',
      path: (env) => joinPath(env, env.project ?? env.home, '.two', 'settings.json'),
      edits: ({ gatewayUrl, modelCode }) => [
        { path: ['base'], value: `${gatewayUrl}/v1`, role: 'address' },
        { path: ['model'], value: modelCode },
      ],
    },
  ],
  readBack: ({ auth = {}, settings = {} }) => {
    const command = text(getValueAt(auth, ['ours', 'command']))
    return {
      base: text(getValueAt(settings, ['base'])),
      modelCode: text(getValueAt(settings, ['model'])),
      credential:
        command === undefined ? plainCredential(text(getValueAt(auth, ['ours', 'key']))) : { kind: 'helper', command },
    }
  },
  overriddenBy: [],
}

function credentials({ delivery, helperCommand, key }: TargetInput): Edit[] {
  return delivery === 'plain'
    ? [{ path: ['ours', 'key'], value: key, role: 'credential' }]
    : [{ path: ['ours', 'command'], value: helperCommand, role: 'credential' }]
}
