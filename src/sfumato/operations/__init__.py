"""Operations that change the rows of a table: one small file each. They see a private copy of the rows, and no engine."""

from sfumato.operations.base import Judged, Made, Operation, Task
from sfumato.operations.register import OPERATIONS, operation_named, operation_of

__all__ = ["OPERATIONS", "Judged", "Made", "Operation", "Task", "operation_named", "operation_of"]
