import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { Sheet } from '../../ui/dialog'
import { PageHeader } from '../../ui/page'
import styles from './chat.module.css'
import { ChatMiddle } from './chat-middle'
import { ConversationList } from './conversation-list'
import { chatPath, messageParameter } from './paths'
import { PlaygroundTabs } from './playground-tabs'
import { SetupPanel } from './setup-panel'
import { type Chat, useChat } from './use-chat'
import { usePanels } from './view-store'

/** Ctrl or Command with N begins a new chat, from anywhere on the page. */
function useNewChatKey(): void {
  const navigate = useNavigate()
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isNew =
        (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'n'
      if (!isNew || document.querySelector('[role="dialog"], [role="alertdialog"]')) return
      event.preventDefault()
      void navigate(chatPath())
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [navigate])
}

/** The message that the address names; the branch that it is in is shown. */
function useWanted({ conversation, choose }: Chat): string | undefined {
  const [search] = useSearchParams()
  const wanted = search.get(messageParameter) ?? undefined
  const asked = useRef<string>(undefined)
  useEffect(() => {
    if (!conversation || wanted === undefined || asked.current === wanted) return
    asked.current = wanted
    if (!conversation.branch.some(({ id }) => id === wanted)) choose(wanted)
  }, [conversation, wanted, choose])
  return wanted
}

function Setup({ chat }: { readonly chat: Chat }) {
  const { t } = useTranslation('playground')
  const { isSetupInline, isSetupOpen, openSetup } = usePanels()
  if (!isSetupInline) {
    return (
      <Sheet open={isSetupOpen} onOpenChange={openSetup} title={t('setup.title')}>
        <SetupPanel chat={chat} />
      </Sheet>
    )
  }
  if (!isSetupOpen) return null
  return (
    <aside className={styles.setup} aria-label={t('setup.title')}>
      <h2 className={styles.setupTitle}>{t('setup.title')}</h2>
      <SetupPanel chat={chat} />
    </aside>
  )
}

/** Chats: the conversations, the one that is open, and what its next message is sent with. */
export function ChatPage() {
  const { t } = useTranslation('playground')
  const { conversationId } = useParams()
  const chat = useChat(conversationId)
  const wanted = useWanted(chat)
  const { isListOpen } = usePanels()
  useNewChatKey()
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <PageHeader title={t('title')} actions={<PlaygroundTabs />} />
      </div>
      <div className={styles.body}>
        {isListOpen ? <ConversationList conversationId={conversationId} /> : null}
        <ChatMiddle key={conversationId ?? ''} {...{ conversationId, chat, wanted }} />
        <Setup chat={chat} />
      </div>
    </div>
  )
}
