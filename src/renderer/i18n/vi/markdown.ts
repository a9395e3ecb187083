import type { markdown as en } from '../en/markdown'
import type { Translation } from '../texts'

/** Vietnamese texts around a model's answer. */
export const markdown: Translation<typeof en> = {
  code: 'Mã',
  copyCode: 'Sao chép mã',
  done: 'Đã xong:',
  notDone: 'Chưa xong:',
  openLink: 'Mở liên kết này?',
  linkFromModel: 'Liên kết này do mô hình viết. Nó dẫn đến {{host}} và mở trong trình duyệt của bạn.',
  writeMail: 'Viết email này?',
  mailFromModel: 'Địa chỉ này do mô hình viết. Nó mở trong ứng dụng email của bạn.',
  open: 'Mở liên kết',
  write: 'Viết email',
  copyAddress: 'Sao chép địa chỉ',
  notOpened: 'Không mở được liên kết. Hãy sao chép địa chỉ.',
}
