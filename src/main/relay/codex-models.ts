import type { Upstream } from './routing-table'

/** Only Codex sends its version when it requests the model list. */
export const isCodexModelList = (path: string): boolean => /^\/v1\/models\?(?:.*&)?client_version=/.test(path)

/**
 * For a model in this list, Codex sends these instructions as the system prompt. It has its own prompt for unlisted
 * models.
 */
const instructions = `You are Codex, a coding agent that works in a terminal on the computer of the user.

- Find out before you act: read the files, the instructions of the project (AGENTS.md) and the state of its repository.
- Work until the task is done. Change as little as it needs, in the style of the project, and do not touch the user's other changes.
- Search with rg where it is installed. Run the tests or the program to check your work, and say what you could not check.
- Never delete files, rewrite history, or send data elsewhere unless the user asked for it.
- For longer tasks keep a short plan and update it as you go.
- Answer in short plain text. Name the files that you changed, and quote no long output that the user can see.`

/** The models of a tool's plans in Codex 0.169's format (`ModelsResponse`), which requires each of these fields. */
export function codexModels(upstreams: readonly Upstream[]): object {
  const codes = new Set(upstreams.flatMap(({ models }) => [...models]))
  const models = [...codes].map((code, index) => ({
    slug: code,
    display_name: code,
    description: null,
    supported_reasoning_levels: [],
    shell_type: 'default',
    visibility: 'list',
    supported_in_api: true,
    priority: index + 1,
    upgrade: null,
    base_instructions: instructions,
    supports_reasoning_summaries: false,
    support_verbosity: false,
    default_verbosity: null,
    apply_patch_tool_type: null,
    truncation_policy: { mode: 'bytes', limit: 10_000 },
    supports_parallel_tool_calls: true,
    experimental_supported_tools: [],
  }))
  return { models }
}
