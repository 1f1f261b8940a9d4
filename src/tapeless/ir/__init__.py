"""The intermediate language: types, nodes, builder, walker, checker, text form, interpreter."""
