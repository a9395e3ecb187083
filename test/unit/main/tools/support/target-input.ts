import type { ToolEnvironment } from '../../../../../src/main/core/environment'
import { Secret } from '../../../../../src/main/core/secret'
import type { Json } from '../../../../../src/main/tools/editors/editor'
import type { TargetInput, WrittenTarget } from '../../../../../src/main/tools/target'

/** Builds the input with which the app configures a tool, for a plan with two models. */
export function buildInput(target: WrittenTarget, overrides: Partial<TargetInput> = {}): TargetInput {
  return {
    gatewayUrl: 'https://plan.example.com',
    modelCode: 'gw-large',
    slots: Object.fromEntries(target.slots.map(({ id }) => [id, 'gw-small'])),
    models: ['gw-large', 'gw-small'],
    contextTokens: 128_000,
    delivery: target.deliveries[0],
    variable: target.variable,
    key: new Secret('sk-test-0123456789abcdefghij'),
    helperCommand: '/opt/companion key print',
    helperArgv: ['/opt/companion', 'key', 'print'],
    ...overrides,
  }
}

const homes = { linux: '/home/an', darwin: '/Users/an', win32: 'C:\\Users\\an' } as const

/** Builds the environment of a tool on an operating system. Only `existingPaths` exist. */
export function createEnvironment(
  platform: keyof typeof homes,
  { existingPaths = [], ...more }: Partial<ToolEnvironment> & { readonly existingPaths?: readonly string[] } = {},
): ToolEnvironment {
  return { home: homes[platform], platform, vars: {}, exists: (path) => existingPaths.includes(path), ...more }
}

/** Returns the value that the app writes for one setting of a tool. List elements are addressed by name. */
export function getWrittenValue(target: WrittenTarget, fileId: string, input: TargetInput, path: string): unknown {
  const file = target.files.find(({ id }) => id === fileId)
  const edits = file?.edits(input, {} satisfies Json, createEnvironment('linux')) ?? []
  const edit = edits.find((item) => item.path.join('.') === path)
  return edit !== undefined && 'value' in edit ? edit.value : undefined
}
