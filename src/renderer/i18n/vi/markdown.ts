import type { markdown as en } from '../en/markdown'
import type { Translation } from '../texts'

/** Vietnamese texts around a model's answer. */
export const markdown: Translation<typeof en> = {
  code: 'Mã',
  copyCode: 'Sao chép mã',
  asText: 'Hiển thị dạng văn bản vì lồng quá sâu',
  copyText: 'Sao chép văn bản',
  done: 'Đã xong:',
  notDone: 'Chưa xong:',
  notOpened: 'Không mở được liên kết.',
}
