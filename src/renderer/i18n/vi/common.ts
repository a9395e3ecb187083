import type { common as english } from '../en/common'
import type { Translation } from '../texts'

/** Words used in more than one place, in Vietnamese. */
export const common: Translation<typeof english> = {
  appName: 'Platform Companion',
  cancel: 'Hủy',
  close: 'Đóng',
  save: 'Lưu',
  add: 'Thêm',
  edit: 'Sửa',
  remove: 'Gỡ bỏ',
  retry: 'Thử lại',
  back: 'Quay lại',
  copied: 'Đã sao chép',
  copyNamed: 'Sao chép {{what}}',
  details: 'Chi tiết',
  loading: 'Đang tải…',
  optional: 'không bắt buộc',
  more: 'Thao tác khác',
  clearSearch: 'Xóa nội dung tìm',
  found: '{{shown}}/{{count}}',
  notifications: 'Thông báo',
  breadcrumb: 'Vị trí hiện tại',
  typeToConfirm: 'Gõ {{name}} để xác nhận',
  required: 'Hãy điền mục này.',
  failure: {
    generic: 'Thao tác không thành công',
    code: 'Mã lỗi',
    requestId: 'Mã yêu cầu',
    message: 'Thông báo',
  },
  crash: {
    title: 'Trang này gặp lỗi',
    text: 'Phần còn lại của ứng dụng vẫn hoạt động. Quay lại rồi mở trang này lần nữa thường là đủ.',
  },
  copyFailed: 'Không sao chép được',
}
