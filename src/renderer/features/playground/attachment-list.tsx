import type { PlaygroundAttachment } from '@shared/contract'
import { FileText, Image, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import styles from './attachment-list.module.css'

function Thumbnail({ id, mediaType }: PlaygroundAttachment) {
  const content = useCall('playground.attachmentContent', { id }, { staleTime: Number.POSITIVE_INFINITY })
  if (!content.data) return <Image size={16} strokeWidth={1.8} aria-hidden="true" />
  return <img className={styles.picture} src={`data:${mediaType};base64,${content.data.content}`} alt="" />
}

/** Bytes in a short form: `812 B`, `4.2 KB`. */
function sizeText(bytes: number, locale: string): string {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 ** 2 ? `${number.format(bytes / 1024)} KB` : `${number.format(bytes / 1024 ** 2)} MB`
}

function One(props: {
  readonly attachment: PlaygroundAttachment
  readonly onRemove?: ((id: string) => void) | undefined
}) {
  const { t } = useTranslation('playground')
  const { locale, count } = useFormats()
  const { attachment, onRemove } = props
  const { id, kind, name, tokens, bytes } = attachment
  return (
    <li className={styles.one}>
      <span className={styles.mark}>
        {kind === 'image' ? <Thumbnail {...attachment} /> : <FileText size={16} strokeWidth={1.8} aria-hidden="true" />}
      </span>
      <span className={styles.words}>
        <span className={styles.name} title={name}>
          {name}
        </span>
        <span className={styles.size}>
          {tokens === undefined
            ? sizeText(bytes, locale)
            : t('composer.tokens', { count: tokens, amount: count(tokens).short })}
        </span>
      </span>
      {onRemove ? (
        <button
          type="button"
          className={styles.remove}
          aria-label={t('composer.detach', { name })}
          title={t('composer.detach', { name })}
          onClick={() => onRemove(id)}
        >
          <X size={13} strokeWidth={2} aria-hidden="true" />
        </button>
      ) : null}
    </li>
  )
}

interface AttachmentListProps {
  readonly ids: readonly string[]
  readonly onRemove?: (id: string) => void
}

/** Files that go along with a message, with a look at images and the size of texts in tokens. */
export function AttachmentList({ ids, onRemove }: AttachmentListProps) {
  const { t } = useTranslation('playground')
  const { data = [] } = useCall('playground.attachments', { ids: [...ids] }, { placeholderData: (before) => before })
  const shown = ids.flatMap((id) => data.filter((one) => one.id === id))
  return (
    <ul className={styles.list} aria-label={t('composer.attachments')}>
      {shown.map((attachment) => (
        <One key={attachment.id} attachment={attachment} onRemove={onRemove} />
      ))}
    </ul>
  )
}
