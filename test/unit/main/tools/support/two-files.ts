import { joinPath } from '../../../../../src/main/core/environment'
import type { Edit, TargetInput, WrittenTarget } from '../../../../../src/main/tools/target'
import { chatTool, plainCredential, textAt } from '../../../../../src/main/tools/targets/shared'

/** A fictitious tool with the key in one file, and address and model in another. */
export const twoFileTarget: WrittenTarget = {
  ...chatTool,
  id: 'two-files',
  name: 'Two Files',
  executables: ['two-files'],
  sites: ['user', 'project'],
  evidence: { kind: 'docs' },
  deliveries: ['helper', 'plain'],
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
  readBack: ({ auth, settings }) => {
    const command = textAt(auth, 'ours', 'command')
    return {
      base: textAt(settings, 'base'),
      modelCode: textAt(settings, 'model'),
      credential: command === undefined ? plainCredential(textAt(auth, 'ours', 'key')) : { kind: 'helper', command },
    }
  },
}

function credentials({ delivery, helperCommand, key }: TargetInput): Edit[] {
  return delivery === 'plain'
    ? [{ path: ['ours', 'key'], value: key, role: 'credential' }]
    : [{ path: ['ours', 'command'], value: helperCommand, role: 'credential' }]
}
