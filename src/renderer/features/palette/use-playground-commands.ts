import { BookText, Columns3, MessageSquareText, ScanText, SquarePen, Waypoints } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { chatPath, comparePath, completionPath, embeddingsPath, promptsPath } from '../playground/paths'
import type { Command } from './command'

/** So many of the newest chats are offered by name. */
const recentChats = 12

/** Chats, and the other parts of the playground. */
export function usePlaygroundCommands(): readonly Command[] {
  const { t } = useTranslation('playground')
  const navigate = useNavigate()
  const { data } = useCall('playground.conversations', {})
  const go = (path: string) => (): void => void navigate(path)
  const group = 'playground'
  return [
    { id: 'chat-new', group, label: t('palette.newChat'), icon: SquarePen, run: go(chatPath()) },
    { id: 'chat-compare', group, label: t('palette.compare'), icon: Columns3, run: go(comparePath) },
    { id: 'chat-prompts', group, label: t('palette.prompts'), icon: BookText, run: go(promptsPath) },
    { id: 'chat-completion', group, label: t('palette.completion'), icon: ScanText, run: go(completionPath) },
    { id: 'chat-embeddings', group, label: t('palette.embeddings'), icon: Waypoints, run: go(embeddingsPath) },
    ...(data?.items ?? []).slice(0, recentChats).map(
      ({ id, title }): Command => ({
        id: `chat-${id}`,
        group,
        label: t('palette.openChat', { title }),
        icon: MessageSquareText,
        run: go(chatPath(id)),
      }),
    ),
  ]
}
