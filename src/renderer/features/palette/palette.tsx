import { Command as List } from 'cmdk'
import { Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../session'
import { Kbd } from '../../ui/code'
import styles from './palette.module.css'
import { useCommands } from './use-commands'
import { type Command, commandGroups } from './use-platform-commands'

/** Without the marks on the letters, so that "cong cu" finds "Công cụ". */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').replace(/đ/gi, 'd')

function Item({ command, onDone }: { readonly command: Command; readonly onDone: () => void }) {
  const { id, label, icon: Icon, keys, also, run } = command
  const choose = (): void => {
    onDone()
    run()
  }
  return (
    <List.Item value={id} keywords={[label, plain(label), also ?? '']} onSelect={choose} className={styles.item}>
      <Icon size={15} strokeWidth={1.75} aria-hidden="true" />
      <span className={styles.label}>{label}</span>
      {keys ? <Kbd keys={keys} /> : null}
    </List.Item>
  )
}

function Commands({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation('palette')
  const commands = useCommands()
  return (
    <List.List className={styles.list} label={t('title')}>
      <List.Empty className={styles.empty}>{t('empty')}</List.Empty>
      {commandGroups.map((group) => {
        const inside = commands.filter((command) => command.group === group)
        return inside.length === 0 ? null : (
          <List.Group key={group} heading={t(`groups.${group}`)} className={styles.group}>
            {inside.map((command) => (
              <Item key={command.id} command={command} onDone={onDone} />
            ))}
          </List.Group>
        )
      })}
    </List.List>
  )
}

/** Finds a place or a command by its name: Ctrl or Command with K. */
export function Palette() {
  const { t } = useTranslation('palette')
  const openPalette = useSession((session) => session.openPalette)
  const close = (): void => openPalette(false)
  return (
    <Dialog.Root open onOpenChange={openPalette}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.overlay} />
        <Dialog.Content className={styles.palette} aria-describedby={undefined}>
          <Dialog.Title className="sr-only">{t('title')}</Dialog.Title>
          <List label={t('title')} loop>
            <div className={styles.search}>
              <Search size={16} strokeWidth={1.8} aria-hidden="true" />
              <List.Input autoFocus placeholder={t('placeholder')} className={styles.input} />
              <Kbd keys={['Esc']} />
            </div>
            <Commands onDone={close} />
          </List>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
