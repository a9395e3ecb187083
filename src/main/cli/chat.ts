import { Standard } from '@shared/contract/common'
import { type Command, Option } from 'commander'
import type { ChatOptions, ChatThreads } from './chat-run'
import type { CommandContext } from './context'

/** `companion chat`. What it needs is loaded by it alone; `threads` are the built files of its threads. */
export function addChatCommand(program: Command, context: () => CommandContext, threads: ChatThreads): void {
  program
    .command('chat')
    .argument('[prompt...]', 'prompt (default: standard input)')
    .option('--plan <plan>', 'name or id (default: the only one)')
    .option('--key <key>', 'name or id of the key (default: the first)')
    .option('--model <code>', "model code (default: the plan's first)")
    .option('--system <text>', 'system prompt')
    .addOption(new Option('--standard <standard>', 'protocol').choices(Standard.options).default('chat-completions'))
    .option('--save', 'save it as a conversation in the playground')
    .description('send a prompt to a model and stream the response (Ctrl+C stops it)')
    .action(async (words: string[], options: ChatOptions) => {
      const { runChat } = await import('./chat-run')
      await runChat(context(), { ...options, words }, threads)
    })
}
